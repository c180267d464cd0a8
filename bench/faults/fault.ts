import type { IncomingMessage, ServerResponse } from "node:http";

/** The time limits that the rows are judged by, in ms. */
export type Times = {
  firstByteMs: number;
  /** After the headers. */
  firstTokenMs: number;
  idleMs: number;
  /** How long an upstream works before it closes the connection. */
  workMs: number;
  /** Allowed beyond a limit; also the limit of rows in which nothing waits. */
  slackMs: number;
};

/** The limits of a fresh install. */
export const usualTimes: Times = {
  firstByteMs: 15_000,
  firstTokenMs: 10_000,
  idleMs: 30_000,
  workMs: 4_000,
  slackMs: 3_000,
};

/** Small limits for `--quick` and for the tests. `workMs` stays below `firstByteMs`. */
export const quickTimes: Times = {
  firstByteMs: 3_000,
  firstTokenMs: 1_000,
  idleMs: 2_000,
  workMs: 2_000,
  slackMs: 5_000,
};

/** One request at a faulty upstream. */
export type Call = {
  request: IncomingMessage;
  response: ServerResponse;
  body: Record<string, unknown>;
  isStream: boolean;
  /** 1 = the first request at this channel. */
  nth: number;
  times: Times;
};

export type Act = (call: Call) => void | Promise<void>;

/**
 * "one": the faulty channel alone. "two": a second, healthy channel of the same model and of lower priority.
 */
export type SetUp = "one" | "two";

export type Fault = {
  name: string;
  /** Which requests it is for. Default both. */
  on?: "stream" | "whole";
  act: Act;
  /** The faulty channel can be rescued alone: it answers when it is asked again, or is waited for. */
  isRescued?: boolean;
  /** The request itself is at fault: no other channel may be asked. */
  isFinal?: boolean;
  /** The most requests at the faulty channel for one request of the caller. Default 2. */
  attemptsMax?: number;
  /** How long the caller may wait at most, before the slack. Default 0. */
  waitMs?: (times: Times, setUp: SetUp, isStream: boolean) => number;
  /** Must be in the error that the caller gets. */
  reason?: RegExp;
  /** An error must come with a Retry-After header. */
  hasRetryAfter?: boolean;
  /** The error comes when the finish reason was passed on already, so the answer may have one. */
  isAfterFinish?: boolean;
  /** How many calls are made, one after the other. Default 1. */
  calls?: number;
  /** No byte of an answer ever comes. */
  isSilent?: boolean;
  /** Nothing is wrong. */
  isSound?: boolean;
  /** An answered request comes first, so that the gateway reuses its connection. */
  isWarm?: boolean;
  /** The channel's base URL, if it is not the upstream's own. */
  address?: (upstreamUrl: string) => string;
  /** What is counted as an attempt. "log": nothing arrives anywhere, so the log's attempts count. Default requests. */
  counts?: "connections" | "log";
};

/** A fault under one of its conditions. Each has a model and channels of its own. */
export type Row = { name: string; model: string; fault: Fault; isStream: boolean; setUp: SetUp };

/** Every fault, streamed and not, with one channel and with two. */
export function rowsOf(faults: readonly Fault[]): Row[] {
  const rows: Row[] = [];
  for (const fault of faults) {
    for (const isStream of [true, false]) {
      if (fault.on && (fault.on === "stream") !== isStream) continue;
      for (const setUp of ["one", "two"] as const) {
        const name = `${fault.name} | ${isStream ? "streamed" : "whole"} | ${setUp}`;
        rows.push({ name, model: `fault-${rows.length + 1}`, fault, isStream, setUp });
      }
    }
  }
  return rows;
}

/** The most that the caller of a row may wait, in ms. */
export function limitMsOf({ fault, setUp, isStream }: Row, times: Times): number {
  return (fault.waitMs?.(times, setUp, isStream) ?? 0) + times.slackMs;
}
