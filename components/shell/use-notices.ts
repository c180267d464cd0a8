"use client";

import { useCallback, useEffect, useState } from "react";
import { callApi } from "@/components/form/call-api";
import { useReportFailure } from "@/components/form/use-report-failure";

/** A message as returned by /api/user/notification. */
export type NoticeItem = {
  id: number;
  title: string;
  content: string;
  path: string;
  created_at: number;
  read: boolean;
};
export type NoticeState = { unread: number; items: readonly NoticeItem[] };

const PATH = "/api/user/notification";
const POLL_MS = 60_000;

/** The user's messages, polled every minute while the page is visible. */
export function useNotices(initial: NoticeState) {
  const report = useReportFailure();
  const [state, setState] = useState(initial);

  const refresh = useCallback(async () => {
    try {
      const { data } = await callApi<NoticeState>(PATH);
      setState(data);
    } catch {
      // Ignored: the present messages stay, and the next poll may succeed.
    }
  }, []);

  useEffect(() => {
    const look = () => {
      if (document.visibilityState === "visible") void refresh();
    };
    const timer = setInterval(look, POLL_MS);
    return () => clearInterval(timer);
  }, [refresh]);

  /** Marks the messages with these ids as read, or all for null. Optimistic: reverted if the request fails. */
  const markRead = (ids: number[] | null) => {
    const before = state;
    const isMarked = (item: NoticeItem) => ids === null || ids.includes(item.id);
    const items = before.items.map((item) => (isMarked(item) ? { ...item, read: true } : item));
    const newly = before.items.filter((item) => isMarked(item) && !item.read).length;
    setState({ items, unread: ids === null ? 0 : Math.max(0, before.unread - newly) });
    callApi(`${PATH}/read`, { method: "POST", body: { ids } }).catch((error: unknown) => {
      setState(before);
      report(error);
    });
  };
  return { ...state, refresh, markRead };
}
