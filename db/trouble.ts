/** Codes of the driver and the network for a server that cannot be reached. */
const UNREACHABLE = new Set([
  "CONNECTION_CLOSED",
  "CONNECTION_DESTROYED",
  "CONNECTION_ENDED",
  "CONNECTION_SILENT",
  "CONNECT_TIMEOUT",
  "EAI_AGAIN",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EPIPE",
  "ETIMEDOUT",
]);

/** A character that PostgreSQL cannot hold, which is NUL: in a text, and in JSON. */
const UNSTORABLE = new Set(["22021", "22P05"]);

/** Whether a statement failed for a character in its input, rather than for the database. */
export function isUnstorable(error: unknown): boolean {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return typeof cause === "object" && cause !== null && "code" in cause && UNSTORABLE.has(String(cause.code));
}

export function isUnreachable(error: unknown): boolean {
  return typeof error === "object" && error !== null && "code" in error && UNREACHABLE.has(String(error.code));
}
