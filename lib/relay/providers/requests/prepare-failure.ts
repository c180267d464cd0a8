import type { AttemptFailure } from "../../base/classify-failure";

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
