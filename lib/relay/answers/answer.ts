import type { FinishReason } from "../canonical/finish-reason";
import type { Usage } from "../canonical/usage";
import type { AttemptFailure } from "../classify-failure";
import type { Countable } from "../dialects/dialect";
import type { TextLength } from "./text-length";

/** Stands between what an upstream sends and what the caller gets. One per try. */
export type Answer = {
  /** The upstream's head has come. */
  start(head: UpstreamHead): void;
  /**
   * Takes what has come; returns what the caller may have now, null = nothing yet. Throws AnswerRefused when it turns out to
   * be a failure; anything else that it throws means that the answer cannot be read on.
   */
  push(bytes: Buffer): Buffer | null;
  /** The upstream has ended cleanly. Returns and throws like `push`. */
  end(): Buffer | null;
  /** Everything that matters has come, however the connection ends. */
  readonly isDone: boolean;
  /** Of what the caller gets. */
  readonly contentType: string;
  /** What the caller gets last, when the answer is paid: the end of a stream, or all of a whole answer. */
  ending(): Buffer;
  report(): Report;
};

export type UpstreamHead = {
  status: number;
  contentType: string | undefined;
  retryAfter: string | undefined;
};

/** What is known of an answer when it is over. */
export type Report = {
  /** Null = the upstream reported none. */
  usage: Usage | null;
  /** Null = none came. */
  finishReason: FinishReason | null;
  /** It ended with its dialect's mark of a whole answer. */
  isComplete: boolean;
  /** What the model wrote, for counting when no usage was reported. */
  sample(): TextSample;
};

export type TextSample = {
  countable: Countable;
  /** False = `countable` is the beginning only. */
  isAll: boolean;
  /** How much was written in all; an estimate where the sample is not all. */
  length: TextLength;
};

/** An answer that turned out to be a failure before anything of it reached the caller. */
export class AnswerRefused extends Error {
  readonly failure: AttemptFailure;

  constructor(failure: AttemptFailure) {
    super("the upstream's answer is a failure");
    this.name = "AnswerRefused";
    this.failure = failure;
  }
}
