import type { SnapshotChannel } from "@/lib/snapshot/store";
import type { AttemptFailure, FailureContext, LostWork, Verdict } from "../base/classify-failure";
import { isTimeout, TIMEOUT_STATUSES, UNSENT_CAUSES } from "../base/failure-cause";
import type { AttemptEnd } from "../http/attempt/attempt-end";
import type { AttemptNote } from "../http/attempts";
import { rows } from "../providers/rows";
import type { DispatchSettings } from "./dispatch-state";

/** What the judgement of a failure depends on. */
export function contextOf({ options }: DispatchSettings, channel: SnapshotChannel): FailureContext {
  return {
    quirks: rows.get(channel.type)?.quirks ?? {},
    statusCodeMapping: channel.statusCodeMapping,
    mayDisable: options.AutomaticDisableChannelEnabled && channel.autoBan,
    disableKeywords: options.AutomaticDisableKeywords,
  };
}

/** The failure of an attempt without an answer. */
export function readFailure(end: AttemptEnd): AttemptFailure {
  if (end.kind === "refused") return end.failure;
  const cause = end.kind === "unreachable" ? end.cause : "reset";
  const message = isTimeout(cause) ? "the upstream did not answer in time" : "the request to the upstream failed";
  const detail = end.kind === "unreachable" ? end.detail : undefined;
  return { kind: "network", message, cause, ...(detail ? { detail } : {}) };
}

export const STALE: AttemptNote = {
  outcome: "failed",
  cause: "reset",
  message: "the upstream closed an idle connection; the request is sent again on a new one",
};

export const TOKEN_REFUSED: AttemptNote = {
  outcome: "failed",
  status: 401,
  cause: "key",
  message: "the upstream refused the access token; the request is sent again with a new one",
};

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
