"use client";

import { useEffect, useEffectEvent, useReducer } from "react";
import { checkSession, statedPageUser } from "@/components/form/session-keeper";
import { PAGE_USER_PARAM } from "@/lib/page-user";
import type { UsageLog } from "@/lib/usage-log/columns";

/** The maximum number of live rows; older ones are found by the time filter. */
export const LIVE_ROWS_MAX = 200;

export type FeedState = {
  /** Received and shown, newest first. */
  rows: UsageLog[];
  /** Received while paused, newest first. */
  waiting: UsageLog[];
  connection: "closed" | "connecting" | "open" | "refused";
  /** More rows arrived at once than the server sends, so some are missing. */
  isPart: boolean;
};

export type FeedEvent =
  | { type: "reset"; connection: FeedState["connection"] }
  | { type: "connection"; connection: FeedState["connection"] }
  | { type: "rows"; rows: UsageLog[]; isPart: boolean; isPaused: boolean }
  | { type: "resume" };

export const EMPTY_FEED: FeedState = { rows: [], waiting: [], connection: "closed", isPart: false };

/** Merges rows: newest first, without duplicates, at most LIVE_ROWS_MAX. */
export function mergeRows(newer: readonly UsageLog[], older: readonly UsageLog[]): UsageLog[] {
  const rows = new Map<number, UsageLog>();
  for (const row of [...newer, ...older]) if (!rows.has(row.id)) rows.set(row.id, row);
  return [...rows.values()].sort((a, b) => b.createdAt - a.createdAt || b.id - a.id).slice(0, LIVE_ROWS_MAX);
}

export function reduceFeed(state: FeedState, event: FeedEvent): FeedState {
  switch (event.type) {
    case "reset":
      return { ...EMPTY_FEED, connection: event.connection };
    case "connection":
      return { ...state, connection: event.connection };
    case "resume":
      return { ...state, rows: mergeRows(state.waiting, state.rows), waiting: [] };
    case "rows": {
      const isPart = state.isPart || event.isPart;
      if (event.isPaused) return { ...state, isPart, waiting: mergeRows(event.rows, state.waiting) };
      return { ...state, isPart, rows: mergeRows(event.rows, state.rows) };
    }
  }
}

type LiveFeed = { state: FeedState; resume: () => void };

/** Receives new log rows for a filter (`query` is the search part of the URL); null = off. */
export function useLiveFeed(query: string | null, isPaused: boolean): LiveFeed {
  const [state, dispatch] = useReducer(reduceFeed, EMPTY_FEED);
  const onRows = useEffectEvent((rows: UsageLog[], isPart: boolean) =>
    dispatch({ type: "rows", rows, isPart, isPaused }),
  );
  useEffect(() => {
    if (query === null) {
      dispatch({ type: "reset", connection: "closed" });
      return;
    }
    dispatch({ type: "reset", connection: "connecting" });
    const search = new URLSearchParams(query);
    search.set("since", String(Math.floor(Date.now() / 1000)));
    const user = statedPageUser();
    if (user !== null) search.set(PAGE_USER_PARAM, user);
    const source = new EventSource(`/log/tail?${search}`);
    source.onopen = () => dispatch({ type: "connection", connection: "open" });
    // EventSource reconnects by itself unless the server refused the connection.
    source.onerror = () => {
      const isRefused = source.readyState === EventSource.CLOSED;
      dispatch({ type: "connection", connection: isRefused ? "refused" : "connecting" });
      if (isRefused) void checkSession();
    };
    source.addEventListener("rows", (event) => {
      const { rows, isPart } = JSON.parse(event.data) as { rows: UsageLog[]; isPart: boolean };
      onRows(rows, isPart);
    });
    source.addEventListener("ended", () => {
      source.close();
      dispatch({ type: "connection", connection: "refused" });
    });
    return () => source.close();
  }, [query]);
  return { state, resume: () => dispatch({ type: "resume" }) };
}
