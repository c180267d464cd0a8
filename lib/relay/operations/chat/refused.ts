import { RelayError } from "../../base/relay-error";
import { InvalidRequest } from "../../wire/canonical/wire-error";
import type { Call } from "../operation";

/** Turns a dialect's InvalidRequest into a 400 for the client. Returns other errors unchanged, because they are bugs. */
export function refused(error: unknown, { clientDialect }: Pick<Call, "clientDialect">): unknown {
  if (!(error instanceof InvalidRequest)) return error;
  const code = error.code ?? clientDialect.invalidRequestCode;
  return new RelayError("invalid_request", error.message, { param: error.param, code });
}
