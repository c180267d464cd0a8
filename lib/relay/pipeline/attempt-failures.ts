import type { SnapshotChannel } from "@/lib/snapshot/store";
import type { AttemptFailure, FailureContext } from "../base/classify-failure";
import { isTimeout } from "../base/failure-cause";
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
