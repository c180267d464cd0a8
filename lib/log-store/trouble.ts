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

/** Whether it is the error of logStoreUnreadable. */
export function isLogStoreAway(error: unknown): boolean {
  return error instanceof AppError && error.messageKey === "logStoreAway";
}

/** The log store cannot be read now; the user may know. */
export function logStoreUnreadable(cause?: unknown): AppError {
  return new AppError("unavailable", "logStoreAway", {}, cause);
}
