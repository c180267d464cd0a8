import type { WireError } from "./canonical/wire-error";

/** A refusal that the caller sees. Everything else that is thrown is a fault and shown as one. */
export class RelayError extends Error {
  readonly status: number;
  readonly wire: WireError;
  /** Seconds until another try makes sense; 0 = unknown. */
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
