import { AppError } from "@/lib/errors";
import { codeOf, LogStoreAway } from "./clickhouse/client";

/**
 * What a server says when it cannot be read now, though the question is right: its tables or a shard are gone (60, 81, 218,
 * 279), it refuses the user (192 to 195, 497, 516), it is full or stopping (74, 173, 202, 203, 209, 210, 236, 243), or its own machine
 * fails it (1000 to 1002).
 */
const UNREADABLE = new Set([
  60, 74, 81, 173, 192, 193, 194, 195, 202, 203, 209, 210, 218, 236, 243, 279, 497, 516, 1000, 1001, 1002,
]);

/** Whether the trouble is the server's, and not the statement's. */
export function isUnreadable(error: unknown): boolean {
  return error instanceof LogStoreAway || UNREADABLE.has(codeOf(error) ?? 0);
}

/**
 * What a server says when it can be read, but takes no rows or has no room for the statement at the moment: time, ZooKeeper, memory,
 * read-only tables, too many parts, too few replicas, an insert that ended unknown.
 */
const BUSY = new Set([159, 209, 225, 241, 242, 252, 254, 285, 286, 292, 319, 999]);

/** Whether the log store, not the program, is why something failed; also where that is the cause of another error. */
export function isStoreTrouble(error: unknown): boolean {
  return isAwayFor(error) || chainOf(error).some(isBusy);
}

function isBusy(error: Error): boolean {
  if (error instanceof AppError) return error.messageKey === CATCHING_UP;
  return error.name === "RowsRefused" || BUSY.has(codeOf(error) ?? 0);
}

/** Whether the log store cannot be reached or read, or a caller was told so. */
export function isAwayFor(error: unknown): boolean {
  return chainOf(error).some((one) => isUnreadable(one) || isLogStoreAway(one));
}

/** Codes of connections, in words. */
const IN_WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was cut",
  EPIPE: "the connection was cut",
  ENOTFOUND: "the name of the host is unknown",
  EAI_AGAIN: "the name of the host cannot be looked up",
  EHOSTUNREACH: "there is no route to the host",
  ENETUNREACH: "there is no route to the host",
  ETIMEDOUT: "there was no answer in time",
};
const REASON_MAX = 300;

/** Why the log store failed, for a line of the log: no stack, at most 300 characters. */
export function reasonOf(error: unknown): string {
  const chain = chainOf(error).filter((one) => !isLogStoreAway(one));
  const texts = chain.map((one) => wordsOf(one)).filter((text) => text !== "");
  const own = texts.filter((text, at) => !texts.slice(0, at).some((before) => before.includes(text)));
  return own.join(": ").slice(0, REASON_MAX) || "unknown";
}

function wordsOf(error: Error): string {
  const code = "code" in error ? String(error.code) : "";
  if (IN_WORDS[code]) return IN_WORDS[code];
  // What the client says of a statement whose time was over.
  if (error.name === "TimeoutError" || error.message === "The user aborted a request.") return IN_WORDS.ETIMEDOUT ?? "";
  return error.message.split("\n")[0] ?? "";
}

/** An error, its cause, the cause of that. */
function chainOf(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let at = error; at instanceof Error && !chain.includes(at); at = at.cause) chain.push(at);
  return chain;
}

/** Whether it is the error of logStoreUnreadable. */
export function isLogStoreAway(error: unknown): boolean {
  return error instanceof AppError && error.messageKey === "logStoreAway";
}

const CATCHING_UP = "logStoreCatchingUp";

/** So many rows wait for the log store that reading them would keep the database from its work; the user may know. */
export function logStoreCatchingUp(rows: number): AppError {
  return new AppError("unavailable", CATCHING_UP, { rows: rows.toLocaleString("en") });
}

/** The log store cannot be read now; the user may know. */
export function logStoreUnreadable(cause?: unknown): AppError {
  return new AppError("unavailable", "logStoreAway", {}, cause);
}
