import type { AttemptFailure } from "../../classify-failure";

/** No token could be had for a key: the token endpoint refused the key, or failed. Its message quotes no secret. */
export class TokenFailure extends Error {
  /** What the attempt fails with that needed the token. */
  readonly failure: AttemptFailure;

  constructor(failure: AttemptFailure) {
    super(failure.kind === "status" ? failure.error.message : failure.message);
    this.name = "TokenFailure";
    this.failure = failure;
  }
}
