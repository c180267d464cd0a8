import type { AttemptFailure, LostWork, Verdict } from "../base/classify-failure";
import { TIMEOUT_STATUSES, UNSENT_CAUSES } from "../base/failure-cause";

/**
 * Whether an upstream may have begun paid work although the attempt failed, e.g. because a proxy before it timed out; null = it
 * has not begun. `isTask`: the request submits a task, so any lost answer may have been that of a task which was taken.
 */
export function lostWork(failure: AttemptFailure, isTask: boolean): LostWork | null {
  if (failure.kind === "setup") return null;
  if (failure.work || !isTask) return failure.work ?? null;
  const isLost = failure.kind === "status" ? TIMEOUT_STATUSES.has(failure.status) : !UNSENT_CAUSES.has(failure.cause);
  return isLost ? "unclear" : null;
}

const MAY_BE_TAKEN = "the upstream may have begun the work, so no other channel was asked; nothing is charged";

/** Such work is never retried, because it could be done and billed twice. The caller is told so. */
export function afterLoss(verdict: Verdict, work: LostWork | null): Verdict {
  if (work !== "unclear") return work === null ? verdict : { ...verdict, retry: false };
  const { status, error } = verdict.reply;
  const reply = { status, error: { ...error, message: `${error.message} (${MAY_BE_TAKEN})` } };
  return { ...verdict, retry: false, reply };
}
