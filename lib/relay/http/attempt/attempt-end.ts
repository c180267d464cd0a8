import { ProxyFailure } from "@/lib/egress/http-proxy-connector";
import { tlsReasonOf, tlsWords } from "@/lib/egress/tls-reason";
import { type Answer, AnswerCut, type Report } from "../../answers/answer";
import type { AttemptFailure } from "../../base/classify-failure";
import { causeOf, type FailureCause } from "../../base/failure-cause";
import type { Secrets } from "../../base/secrets";
import type { Drained } from "../../net/upstream-drains";

/** How an attempt ended. Only the response's ending may be sent to the client after this. */
export type AttemptEnd =
  /** The response is complete. `firstTokenMs`: null = nothing of it was sent yet. */
  | { kind: "answered"; answer: Answer; firstTokenMs: number | null }
  /** The response is a failure; nothing was sent to the client. */
  | { kind: "refused"; failure: AttemptFailure }
  /**
   * There was no response; nothing was sent to the client. `isStale`: the upstream closed an idle connection just as it
   * was reused, so it has not worked on the request. `detail`: why there was no connection, for the log.
   */
  | { kind: "unreachable"; cause: FailureCause; isStale: boolean; detail?: string | undefined }
  /** The upstream stopped answering after bytes were sent to the client. `reported`: the error that it reported; null = none. */
  | {
      kind: "cut";
      answer: Answer;
      firstTokenMs: number;
      cause: FailureCause;
      isForbidden: boolean;
      reported: StatusFailure | null;
    }
  /** The gateway stopped the answer, because the balance pays for no more. `firstTokenMs`: as above. */
  | { kind: "spent"; answer: Answer; firstTokenMs: number | null }
  /**
   * The client disconnected. `wasSent`: the upstream had received the request. `hasBegun`: it had begun to answer.
   * `unseenMs`: how long it worked before something reached the client, or until it was aborted. `report`: what had
   * reached the client; null = nothing. `drained`: null = the upstream was aborted at once.
   */
  | {
      kind: "gone";
      wasSent: boolean;
      hasBegun: boolean;
      unseenMs: number;
      report: Report | null;
      drained: Drained | null;
      firstTokenMs: number | null;
    }
  /** Another attempt of the request was first; nothing of this one was sent to the client. */
  | { kind: "outrun" };

/** The client disconnected before the upstream had the request. */
export const GONE_UNSENT: Extract<AttemptEnd, { kind: "gone" }> = {
  kind: "gone",
  wasSent: false,
  hasBegun: false,
  unseenMs: 0,
  report: null,
  drained: null,
  firstTokenMs: null,
};

export type StatusFailure = AttemptFailure & { kind: "status" };

export function unreachableBy(error: Error, isStale = false): AttemptEnd {
  return { kind: "unreachable", cause: causeOf(error), isStale, detail: noConnection(error) };
}

/** Why there was no connection, in words without secrets; undefined = the error's cause says all of it. */
export function noConnection(error: unknown): string | undefined {
  if (error instanceof ProxyFailure) return error.message;
  const tls = tlsReasonOf(error);
  return tls && tlsWords(tls);
}

/** The end of an answer that broke off, with what its upstream said of it. */
export function cutBy(error: Error, answer: Answer, firstTokenMs: number, secrets: Secrets): AttemptEnd {
  const cut = { kind: "cut", answer, firstTokenMs, cause: cutCause(error) } as const;
  if (!(error instanceof AnswerCut)) return { ...cut, isForbidden: false, reported: null };
  const { isForbidden, reported } = error;
  if (!reported) return { ...cut, isForbidden, reported };
  const { status, error: raw } = reported;
  return { ...cut, isForbidden, reported: { kind: "status", status, error: secrets.open(raw), retryAfterMs: null } };
}

/** Once an answer runs, a connection that is lost cuts it. */
function cutCause(error: Error): FailureCause {
  const cause = causeOf(error);
  return cause === "reset" || error instanceof AnswerCut ? "cut" : cause;
}

/** How the upstream ended an answer that was drained, where it ended it without one. */
export function failureOf(end: AttemptEnd): Drained["failed"] {
  if (end.kind === "refused") return { status: end.failure.kind === "status" ? end.failure.status : null };
  return end.kind === "unreachable" || end.kind === "cut" ? { status: null } : undefined;
}
