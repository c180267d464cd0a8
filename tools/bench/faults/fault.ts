import type { IncomingMessage, ServerResponse } from "node:http";

/** The time limits that the rows are judged by, in ms. */
export type Times = {
  firstByteMs: number;
  /** After the headers. */
  firstTokenMs: number;
  idleMs: number;
  /** Where nobody else can be asked. A fresh install waits 300 s; the table sets it for the rows that need it. */
  aloneMs: number;
  /** How long an upstream works before it closes the connection. */
  workMs: number;
  /** Allowed beyond a limit; also the limit of rows in which nothing waits. */
  slackMs: number;
  /** How many callers a crowd has, and what is allowed to its first bytes beyond a limit. */
  crowd: number;
  crowdSlackMs: number;
};

/** The limits of a fresh install, but for `aloneMs`. */
export const usualTimes: Times = {
  firstByteMs: 15_000,
  firstTokenMs: 10_000,
  idleMs: 30_000,
  aloneMs: 20_000,
  workMs: 4_000,
  slackMs: 3_000,
  crowd: 100,
  crowdSlackMs: 1_000,
};

/** Small limits for `--quick` and for the tests. `workMs` stays below `firstByteMs`. */
export const quickTimes: Times = {
  firstByteMs: 3_000,
  firstTokenMs: 1_000,
  idleMs: 2_000,
  aloneMs: 2_500,
  workMs: 2_000,
  slackMs: 5_000,
  crowd: 30,
  crowdSlackMs: 5_000,
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
 * "one": the faulty channel alone. "two": a second, healthy channel of the same model and of lower priority. "model": the
 * faulty channel alone, and another model with a healthy channel as the operator's fallback. "own": the same, but the
 * caller names that model.
 */
export type SetUp = "one" | "two" | "model" | "own";

const CHANNELS: readonly SetUp[] = ["one", "two"];
/** With other models, too. */
export const EVERYWHERE: readonly SetUp[] = [...CHANNELS, "model", "own"];

export type Fault = {
  name: string;
  /** Which requests it is for. Default both. */
  on?: "stream" | "whole";
  /** Default one channel, and two. */
  setUps?: readonly SetUp[];
  act: Act;
  /** The faulty channel can be rescued alone: it answers when it is asked again, or is waited for. */
  isRescued?: boolean;
  /** The request itself is at fault: no other channel of the model, or nobody else at all, may be asked. */
  isFinal?: "at the model" | "everywhere";
  /** The most requests at the faulty channel for one request of the caller. Default 2. */
  attemptsMax?: number;
  /** How long the caller may wait at most, before the slack. Default 0. */
  waitMs?: (times: Times, setUp: SetUp, isStream: boolean) => number;
  /** Must be in the error that the caller gets. */
  reason?: RegExp;
  /** An error must come with a Retry-After header. */
  hasRetryAfter?: boolean;
  /** The caller has a part of the answer by then: only a model that he names goes on with it. */
  hasBegun?: boolean;
  /** The error comes when the finish reason was passed on already, so the answer may have one. */
  isAfterFinish?: boolean;
  /** How many calls are made, one after the other. Default 1. */
  calls?: number;
  /** No byte of an answer ever comes. */
  isSilent?: boolean;
  /** Many callers at once, and some more when those are served. */
  isCrowd?: boolean;
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
export type Row = {
  name: string;
  model: string;
  /** The healthy channel's model. */
  otherModel: string;
  fault: Fault;
  isStream: boolean;
  setUp: SetUp;
};

/** Every fault, streamed and not, in each of its set-ups. */
export function rowsOf(faults: readonly Fault[]): Row[] {
  const rows: Row[] = [];
  for (const fault of faults) {
    for (const isStream of [true, false]) {
      if (fault.on && (fault.on === "stream") !== isStream) continue;
      for (const setUp of fault.setUps ?? CHANNELS) {
        const name = `${fault.name} | ${isStream ? "streamed" : "whole"} | ${setUp}`;
        const model = `fault-${rows.length + 1}`;
        const otherModel = setUp === "model" || setUp === "own" ? `${model}-other` : model;
        rows.push({ name, model, otherModel, fault, isStream, setUp });
      }
    }
  }
  return rows;
}

/** The models of all rows. */
export function modelsOf(rows: readonly Row[]): string[] {
  return [...new Set(rows.flatMap(({ model, otherModel }) => [model, otherModel]))];
}

/** How long the caller of a row waits where everything is as promised, in ms. */
export function waitMsOf({ fault, setUp, isStream }: Row, times: Times): number {
  return fault.waitMs?.(times, setUp, isStream) ?? 0;
}

/** The most that the caller of a row may wait, in ms. */
export function limitMsOf(row: Row, times: Times): number {
  return waitMsOf(row, times) + times.slackMs;
}

/** Whether only another model could be asked that the caller did not name, and he has a part of a stream by then. */
export function isBegunElsewhere({ fault, isStream, setUp }: Row): boolean {
  return fault.hasBegun === true && isStream && setUp === "model";
}

/** Whether nobody but the faulty channel may be asked, because of the request. */
export function isFinalFor({ fault, setUp }: Row): boolean {
  return fault.isFinal === "everywhere" || (fault.isFinal === "at the model" && (setUp === "one" || setUp === "two"));
}
