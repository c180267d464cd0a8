import type { WireError } from "./canonical/wire-error";

/** An error whose message is shown to the client. Any other error is a bug and becomes a 500. */
export class RelayError extends Error {
  readonly status: number;
  readonly wire: WireError;
  /** Seconds until a retry makes sense; 0 = unknown. */
  readonly retryAfter: number;

  constructor(
    status: number,
    message: string,
    { retryAfter = 0, ...wire }: Partial<Omit<WireError, "message">> & { retryAfter?: number } = {},
  ) {
    super(message);
    this.name = "RelayError";
    this.status = status;
    this.retryAfter = retryAfter;
    this.wire = { message, type: "new_api_error", param: null, code: null, ...wire };
  }
}

/** Charges cannot be stored, so nothing more is taken on. */
export function databaseAway(): RelayError {
  return new RelayError(503, "the service is temporarily unavailable", { code: "database_away" });
}

/** A bug. What it was is in the log of the process only. */
export function internalError(): RelayError {
  return new RelayError(500, "internal error", { code: "internal_error" });
}
