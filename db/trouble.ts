/** Codes of the driver and the network for a server that cannot be reached, or is none that takes writes. */
const UNREACHABLE = new Set([
  "CONNECTION_CLOSED",
  "CONNECTION_DESTROYED",
  "CONNECTION_ENDED",
  "CONNECTION_SILENT",
  "CONNECT_TIMEOUT",
  "EADDRNOTAVAIL",
  "EAI_AGAIN",
  "ECONNABORTED",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTDOWN",
  "EHOSTUNREACH",
  "ENETDOWN",
  "ENETUNREACH",
  "ENOTFOUND",
  "EPIPE",
  "ETIMEDOUT",
  "SERVER_UNSUITABLE",
]);

/**
 * SQLSTATEs of a server, or a pooler in front of it, that takes no statements or no writes at the moment: connection (08), resources
 * such as disk and connections (53), stopping, starting or crashed (57P), its system (58), read-only after a fail-over (25006).
 */
const AWAY = /^(?:(?:08|53|58)[0-9A-Z]{3}|57P[0-9A-Z]{2}|25006)$/;

/** SQLSTATEs of a statement that may succeed when it is sent again: transaction rollback (40), cancelled (57), a lock (55P03). */
const AGAIN = /^(?:(?:40|57)[0-9A-Z]{3}|55P03)$/;

/** Drizzle wraps what the driver said. */
function causeOf(error: unknown): { code?: unknown; syscall?: unknown } {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return typeof cause === "object" && cause !== null ? cause : {};
}

export function isUnreachable(error: unknown): boolean {
  const { code, syscall } = causeOf(error);
  // A socket's file that is not there: the server has not made it yet, or took it away.
  return UNREACHABLE.has(String(code)) || (code === "ENOENT" && syscall === "connect");
}

const isAwayState = (sqlState: string): boolean => AWAY.test(sqlState);

/** Whether a statement of this outcome goes well by waiting, be it for the server or for others' statements. */
export const isTransientState = (sqlState: string): boolean => AWAY.test(sqlState) || AGAIN.test(sqlState);

/** Whether the server as a whole cannot serve at the moment, and not this statement alone. */
export function isServerAway(error: unknown): boolean {
  return isUnreachable(error) || isAwayState(String(causeOf(error).code ?? ""));
}
