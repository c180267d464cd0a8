import type { AttemptFailure } from "../../base/classify-failure";
import { RelayError } from "../../base/relay-error";
import { ChannelSetupError } from "../setup-error";

/** What a request needs before it can be sent was not to be had. Its message quotes no secret. */
export class PrepareFailure extends Error {
  /** What the attempt fails with. */
  readonly failure: AttemptFailure;

  constructor(failure: AttemptFailure) {
    super(failure.kind === "status" ? failure.error.message : failure.message);
    this.name = new.target.name;
    this.failure = failure;
  }
}

/** The failure of a channel whose request could not be prepared. Rethrows a RelayError: such a request fails at every channel. */
export function setupFailure(error: unknown): AttemptFailure {
  if (error instanceof RelayError) throw error;
  if (error instanceof PrepareFailure) return error.failure;
  if (!(error instanceof ChannelSetupError)) return { kind: "setup", message: "the channel's settings are not valid" };
  const { message, refusal } = error;
  if (!refusal) return { kind: "setup", message };
  return { kind: "setup", message, reply: { status: refusal.status, error: refusal.wire } };
}
