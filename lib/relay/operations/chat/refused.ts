import { InvalidRequest } from "../../canonical/wire-error";
import { RelayError } from "../../relay-error";
import type { Call } from "../operation";

/** What a dialect refuses, as the caller may see it; anything else is a fault and stays one. */
export function refused(error: unknown, { caller }: Call): unknown {
  if (!(error instanceof InvalidRequest)) return error;
  const code = caller.invalidRequestCode;
  return new RelayError(400, error.message, { type: "invalid_request_error", param: error.param, code });
}
