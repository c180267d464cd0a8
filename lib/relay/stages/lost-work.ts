import type { AttemptFailure, LostWork, Verdict } from "../classify-failure";
import { TIMEOUT_STATUSES, UNSENT_CAUSES } from "../failure-cause";

/**
 * What became of paid work that an upstream may have begun, e.g. behind a proxy that waited for it no longer; null = it has
 * not. `isTask`: the request is a submission, of which every lost answer may hide a task.
 */
export function lostWork(failure: AttemptFailure, isTask: boolean): LostWork | null {
  if (failure.kind === "setup") return null;
  if (failure.work || !isTask) return failure.work ?? null;
  const isLost = failure.kind === "status" ? TIMEOUT_STATUSES.has(failure.status) : !UNSENT_CAUSES.has(failure.cause);
  return isLost ? "unclear" : null;
}

const MAY_BE_TAKEN = "the work may be under way there all the same, so no other channel was asked; nothing is charged";

/** Nobody else is asked. The caller is told why, and that it may ask again itself. */
export function afterLoss(verdict: Verdict, work: LostWork | null): Verdict {
  if (work !== "unclear") return work === null ? verdict : { ...verdict, retry: false };
  const { status, error } = verdict.reply;
  const reply = { status, error: { ...error, message: `${error.message} (${MAY_BE_TAKEN})` } };
  return { ...verdict, retry: false, reply };
}
