import type { AttemptFailure, Verdict } from "../classify-failure";
import { TIMEOUT_STATUSES, UNSENT_CAUSES } from "../failure-cause";

/**
 * Whether an upstream may have begun paid work all the same, e.g. behind a proxy that waited for it no longer. `isTask`:
 * the request is a submission, of which every lost answer may hide a task.
 */
export function mayBeTaken(failure: AttemptFailure, isTask: boolean): boolean {
  if (failure.kind === "setup") return false;
  if (failure.mayHaveBegun) return true;
  if (!isTask) return false;
  return failure.kind === "status" ? TIMEOUT_STATUSES.has(failure.status) : !UNSENT_CAUSES.has(failure.cause);
}

const MAY_BE_TAKEN = "the work may be under way there all the same, so no other channel was asked; nothing is charged";

/** The caller is told why nobody else was asked, and that it may ask again itself. */
export function lostReply(reply: Verdict["reply"]): Verdict["reply"] {
  const { status, error } = reply;
  return { status, error: { ...error, message: `${error.message} (${MAY_BE_TAKEN})` } };
}
