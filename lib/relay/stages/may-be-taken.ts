import type { AttemptFailure } from "../classify-failure";
import { TIMEOUT_STATUSES } from "../failure-cause";
import { FREE_CAUSES } from "./cost";

/** Whether an upstream may have taken a task all the same, e.g. behind a proxy that waited for it no longer. */
export function mayBeTaken(failure: AttemptFailure): boolean {
  if (failure.kind === "status") return TIMEOUT_STATUSES.has(failure.status);
  return failure.kind === "network" && !FREE_CAUSES.has(failure.cause);
}
