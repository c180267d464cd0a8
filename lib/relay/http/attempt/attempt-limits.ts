import type { Answer } from "../../answers/answer";
import type { LimitCause } from "../../base/failure-cause";
import type { AttemptSettings } from "./attempt-settings";
import { isTooLate } from "./time-limits";

/** What is known of an attempt of which nothing reached the client yet. */
type Waited = {
  readonly settings: Pick<AttemptSettings, "limits" | "hasOther" | "isStream">;
  readonly answer: Answer;
  /** 0 = they have not arrived. */
  readonly headersAt: number;
  /** Milliseconds since the request was sent. */
  sentFor(now: number): number;
  /** The upstream has sent no event for too long. */
  isSilent(now: number): boolean;
};

/** The time limit that an upstream has exceeded before its answer began; null = none. */
export function firstLimit(attempt: Waited, now: number): LimitCause | null {
  return attempt.settings.isStream ? streamLimit(attempt, now) : wholeLimit(attempt, now);
}

function streamLimit(attempt: Waited, now: number): LimitCause | null {
  const { limits, hasOther } = attempt.settings;
  if (attempt.headersAt === 0) return attempt.sentFor(now) > limits.firstByte ? "timeout_first_byte" : null;
  if (attempt.answer.isHeldBack) return attempt.isSilent(now) ? "idle" : null;
  return isTooLate(now - attempt.headersAt, limits.firstToken, limits, hasOther) ? "timeout_first_token" : null;
}

/** Headers say nothing of a whole answer; some upstreams send them at once. */
function wholeLimit(attempt: Waited, now: number): LimitCause | null {
  const { limits, hasOther } = attempt.settings;
  if (attempt.answer.events > 0) return attempt.isSilent(now) ? "idle" : null;
  return isTooLate(attempt.sentFor(now), limits.firstByteWhole, limits, hasOther) ? "timeout_first_byte" : null;
}
