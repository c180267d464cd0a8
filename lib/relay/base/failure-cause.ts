/** Why an attempt failed, for log, health and circuits. */
export type FailureCause =
  /** The key was refused. */
  | "key"
  /** Too many requests. */
  | "limit"
  /** The upstream answered with a status from 500 on. */
  | "overload"
  | "timeout_connect"
  | "timeout_first_byte"
  | "timeout_first_token"
  /** The whole answer took too long. */
  | "timeout_whole"
  /** The upstream itself reported that it ran out of time: 408, 504, 524. */
  | "timeout_upstream"
  /** Silence in mid-answer. */
  | "idle"
  /** The connection was closed in mid-answer. */
  | "cut"
  /** The connection was reset or closed before the answer. */
  | "reset"
  /** There is nobody at the address. */
  | "connect"
  | "dns"
  | "tls"
  /** The upstream does not take this request. */
  | "request"
  | "bad_answer"
  /** The caller asked for more at once than is read of an answer. */
  | "too_large"
  /** It was asked to go on with an answer, and says something else. */
  | "differs"
  /** The channel's own settings are not valid. */
  | "setup";

/** Statuses with which the upstream, or something before it, says that time ran out. The work may have gone on. */
export const TIMEOUT_STATUSES: ReadonlySet<number> = new Set([408, 504, 524]);

/** Statuses by which an upstream, or what stands before it, says that it has not begun: too busy, or never reached. */
const NOT_BEGUN: ReadonlySet<number> = new Set([501, 503, 505, 521, 522, 523, 525, 526, 529, 530]);

/**
 * Whether a status leaves it open if paid work was begun. A request that is refused (4xx) was not; 408 and other errors of
 * servers prove nothing: the work may have been begun before the failure.
 */
export function provesNothing(status: number): boolean {
  return status === 408 || (status >= 500 && !NOT_BEGUN.has(status));
}

/** Causes by which a request did not get to the upstream. */
export const UNSENT_CAUSES: ReadonlySet<FailureCause> = new Set(["dns", "tls", "connect", "setup", "timeout_connect"]);

/** Limits of ours that ended an attempt. */
export type LimitCause = Extract<
  FailureCause,
  "timeout_connect" | "timeout_first_byte" | "timeout_first_token" | "timeout_whole" | "idle"
>;

/** A time limit of ours is over. */
export class TimeLimitReached extends Error {
  readonly limit: LimitCause;

  constructor(limit: LimitCause) {
    super(`the upstream exceeded a time limit: ${limit}`);
    this.name = "TimeLimitReached";
    this.limit = limit;
  }
}

const DNS_CODES = new Set(["ENOTFOUND", "EAI_AGAIN", "EAI_FAIL", "EAI_NODATA", "EAI_NONAME"]);
const CONNECT_CODES = new Set(["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "EHOSTDOWN", "EADDRNOTAVAIL", "EPROXY"]);
const TLS_CODE = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|EPROTO|HOSTNAME_MISMATCH)/;
const ANSWER_CODE = /^(HPE_|WS_ERR_|UND_ERR_HEADERS_OVERFLOW|UND_ERR_RES_EXCEEDED|ERR_ENCODING)/;

/** The cause of a connection's error. */
export function causeOf(error: Error): FailureCause {
  if (error instanceof TimeLimitReached) return error.limit;
  const code = "code" in error ? String(error.code) : "";
  if (DNS_CODES.has(code)) return "dns";
  if (code === "UND_ERR_CONNECT_TIMEOUT" || code === "ETIMEDOUT") return "timeout_connect";
  if (TLS_CODE.test(code)) return "tls";
  if (CONNECT_CODES.has(code)) return "connect";
  // lib/egress refuses the channel's address.
  if (code === "invalid") return "setup";
  return code === "" || ANSWER_CODE.test(code) ? "bad_answer" : "reset";
}

/** Whether the upstream, or the way to it, was too slow. */
export function isTimeout(cause: FailureCause): boolean {
  return cause === "idle" || cause.startsWith("timeout_");
}

const CLOSED_CODES = new Set(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"]);

/** The other side closed the connection. */
export function isClosed(error: Error): boolean {
  return "code" in error && CLOSED_CODES.has(String(error.code));
}
