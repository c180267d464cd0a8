import { TEXT } from "./answers";
import type { Got } from "./caller";
import { isBegunElsewhere, isFinalFor, limitMsOf, type Row, type Times, waitMsOf } from "./fault";

/** What happened in a row: `calls` answers of the gateway, and everything they caused. */
export type Outcome = {
  got: Got[];
  /** Those of them who came when a crowd had been served. */
  later: Got[];
  /** When each request arrived at the faulty channel, in ms; null = it could not be seen. */
  atFaulty: number[] | null;
  /** Requests at the healthy channel; null = there is none. */
  atHealthy: number | null;
  /** Attempts in the log rows; a request that succeeded at once counts one. */
  noted: number;
  /** Log rows of the row's requests. */
  logged: number;
  /** Quota units that were charged. */
  charge: number;
};

type Rule = (row: Row, outcome: Outcome, times: Times) => boolean;

/** Two attempts at one channel at most within 1.5 s of a 429, less what a busy machine may be late in counting. */
const LIMITED_WITHIN_MS = 1_300;

/** The whole text, with a finish reason, ended cleanly, without an error. */
export function isWhole(got: Got): boolean {
  const isRead = got.status === 200 && got.error === null && got.badEvents === 0 && got.ended === "clean";
  return isRead && got.text === TEXT && got.finishReason !== null;
}

/** A part of the answer, or an error, that a client takes for a whole answer. */
function isCutUnseen({ fault }: Row, got: Got): boolean {
  if (got.text === TEXT && got.error === null) return false;
  if (got.isEventStream) return got.isDone || (got.finishReason !== null && fault.isAfterFinish !== true);
  return got.status === 200 && got.ended === "clean" && got.error === null && got.badEvents === 0;
}

/** What is promised. Each rule says whether it is broken. */
const rules: Record<string, Rule> = {
  "error despite a healthy candidate": (row, { got }) => {
    const { fault, setUp } = row;
    if (isFinalFor(row) || fault.isAfterFinish) return false;
    if (isBegunElsewhere(row) && got.every(({ text }) => text !== "")) return false;
    return (setUp !== "one" || fault.isRescued === true) && !got.every(isWhole);
  },
  "a cut answer looks whole": (row, { got }) => got.some((one) => isCutUnseen(row, one)),
  "charged for nothing": (_row, { got, charge }) => got.every(({ text }) => text === "") && charge > 0,
  "too many attempts": (row, { got, atFaulty, atHealthy, noted }) => {
    const { fault } = row;
    const attempts = atFaulty?.length ?? noted - (atHealthy ?? 0);
    if (attempts > (fault.attemptsMax ?? 2) * got.length) return true;
    if (isFinalFor(row) && (atHealthy ?? 0) > 0) return true;
    return fault.name.startsWith("429") && (atFaulty ?? []).some(isThirdSoon);
  },
  "too slow": (row, { got }, times) => got.some(({ ended, ms }) => ended === "left" || ms > limitMsOf(row, times)),
  "a crowd waits too long": (row, { got, later }, times) => {
    const first = got.slice(0, got.length - later.length);
    const limitMs = waitMsOf(row, times) + times.crowdSlackMs;
    return row.fault.isCrowd === true && (p95FirstMs(first) > limitMs || p95FirstMs(later) > times.crowdSlackMs);
  },
  "asked after a crowd met its fault": ({ fault }, { got, later, atFaulty }) =>
    fault.isCrowd === true && (atFaulty?.length ?? 0) > got.length - later.length + 1,
  "an attempt is not in the log": (_row, { atFaulty, atHealthy, noted }) =>
    (atFaulty?.length ?? 0) + (atHealthy ?? 0) > noted,
  "the provider's reason is lost": (row, { got }) =>
    row.fault.reason !== undefined && isFinalFor(row) && !got.every(({ error }) => row.fault.reason?.test(error ?? "")),
  "Retry-After is lost": ({ fault }, { got }) =>
    fault.hasRetryAfter === true && got.some((one) => one.error !== null && one.retryAfter === null),
  "not in the log": (_row, { got, logged }) => logged < got.length,
  "not charged": (_row, { got, charge }) => got.some(isWhole) && charge === 0,
};

/** The 95th percentile of the times to the first byte, in ms. */
export function p95FirstMs(got: readonly Got[]): number {
  const times = got.map(({ firstMs }) => firstMs ?? Number.POSITIVE_INFINITY).sort((a, b) => a - b);
  return times[Math.ceil(times.length * 0.95) - 1] ?? 0;
}

function isThirdSoon(at: number, index: number, all: number[]): boolean {
  const third = all[index + 2];
  return third !== undefined && third - at < LIMITED_WITHIN_MS;
}

/** The rules that a row breaks; empty = it is as promised. */
export function judge(row: Row, outcome: Outcome, times: Times): string[] {
  return Object.entries(rules).flatMap(([name, isBroken]) => (isBroken(row, outcome, times) ? [name] : []));
}
