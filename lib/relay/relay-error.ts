import { isDatabaseTrouble, isUnstorable } from "@/lib/billing/sqlstate";
import type { WireError } from "./canonical/wire-error";

/** What could not be done, for the log of the process, and why. Callers never see it. */
export type Trouble = { what: string; cause: unknown };

type Details = Partial<Omit<WireError, "message">> & {
  retryAfter?: number;
  trouble?: Trouble | null;
  isCallers?: boolean;
};

/** An error whose message is shown to the client. Any other error is a bug and becomes a 500. */
export class RelayError extends Error {
  readonly status: number;
  readonly wire: WireError;
  /** Seconds until a retry makes sense; 0 = unknown. */
  readonly retryAfter: number;
  /** Null = nothing went wrong here. */
  readonly trouble: Trouble | null;
  /** Whether the caller asked for what there is not, whatever the status: the log of the process then has no error. */
  readonly isCallers: boolean;

  constructor(
    status: number,
    message: string,
    { retryAfter = 0, trouble = null, isCallers = status < 500, ...wire }: Details = {},
  ) {
    super(message);
    this.name = "RelayError";
    this.status = status;
    this.retryAfter = retryAfter;
    this.trouble = trouble;
    this.isCallers = isCallers;
    this.wire = { message, type: "new_api_error", param: null, code: null, ...wire };
  }
}

/** Seconds after which a caller should try again. */
const DATABASE_AWAY_SECONDS = 5;

/**
 * Keys cannot be looked up, nothing can be reserved, or charges cannot be stored: nothing more is taken on. 400 where the
 * caller's text is what the database cannot take.
 */
export function databaseAway(trouble: Trouble | null = null): RelayError {
  if (trouble && isUnstorable(trouble.cause)) return unstorable();
  return new RelayError(503, "the service is temporarily unavailable, please try again", {
    code: "database_away",
    retryAfter: DATABASE_AWAY_SECONDS,
    trouble,
  });
}

/** The process stops. */
export function restarting(): RelayError {
  return new RelayError(503, "the gateway is being restarted, please try again", {
    code: "gateway_restarting",
    retryAfter: 1,
  });
}

/** For an error that was not foreseen. What it was is in the log of the process only. */
export function faultOf(error: unknown): RelayError {
  if (isUnstorable(error)) return unstorable();
  return isDatabaseTrouble(error) ? databaseAway() : internalError();
}

function unstorable(): RelayError {
  return new RelayError(400, "the request has a NUL character where none can be", {
    type: "invalid_request_error",
    code: "invalid_request",
  });
}

function internalError(): RelayError {
  return new RelayError(500, "internal error", { code: "internal_error" });
}
