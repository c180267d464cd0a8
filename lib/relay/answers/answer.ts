import type { MeterUsage } from "@/lib/meters";
import type { RawError, RawFailure } from "../base/upstream-error";
import type { FinishReason } from "../wire/canonical/event";
import type { Json } from "../wire/canonical/json";
import type { ObjectName } from "../wire/canonical/upstream-object";
import type { Usage } from "../wire/canonical/usage";
import type { Countable } from "../wire/dialects/dialect";
import type { MediaFacts } from "./media/media-facts";
import type { NewTask } from "./task";
import type { TextLength } from "./text-length";

/** Turns an upstream's response into the client's response. One per attempt. */
export type Answer = {
  /** Called when the upstream's status and headers have arrived. */
  start(head: UpstreamHead): void;
  /**
   * Takes received bytes; returns the bytes to send to the client now, null = none yet. Throws AnswerRefused when the
   * response turns out to be a failure, AnswerCut when it does so after bytes were returned. Any other error means that
   * the response cannot be read further.
   */
  push(bytes: Buffer): Buffer | null;
  /** Called when the upstream has ended its response cleanly. Returns and throws like `push`. */
  end(): Buffer | null;
  /** True = everything needed has arrived, so a broken connection no longer matters. */
  readonly isDone: boolean;
  /**
   * Grows whenever an event with data, or a piece of a body, has arrived. Comments and blank lines, with which upstreams
   * keep a connection alive, do not count.
   */
  readonly events: number;
  /** Upper estimate of the tokens that a stream has brought so far; 0 for what arrives in one piece. */
  readonly writtenTokens: number;
  /** Text or thoughts have arrived that are held back although nothing was sent yet; absent = never. */
  readonly isHeldBack?: boolean;
  /** It is put together from a stream for a client that gets it in one piece, so that it can be cut short before. */
  readonly isCollected?: boolean;
  /** Content type of the client's response. */
  readonly contentType: string;
  /** The bytes sent after the settlement: the end of a stream, or a complete non-streamed body. */
  ending(): Buffer;
  /** Like `ending`, for an answer that the gateway stops: the choices finish for their length. */
  cutShort(): Buffer;
  report(): Report;
};

export type UpstreamHead = {
  status: number;
  contentType: string | undefined;
  retryAfter: string | undefined;
};

/** What is known about a response when it is over. */
export type AnswerNames = { id: string; model: string };

export type Report = {
  /** Null = the upstream reported no usage. */
  usage: Usage | null;
  /** What the upstream reported beside tokens; absent = nothing. */
  meters?: readonly MeterUsage[];
  /** Null = none arrived. */
  finishReason: FinishReason | null;
  /** True = `usage` was reckoned in part. */
  isEstimated?: boolean;
  /** True = it ended with its dialect's end marker. */
  isComplete: boolean;
  /** Events that could not be read and were dropped; undefined = none. */
  badEvents?: number;
  /** What it tells of its pictures or its sound; undefined = it has none. */
  media?: MediaFacts;
  /** What the upstream keeps of the answer; undefined = nothing. */
  keptObjects?: () => readonly ObjectName[];
  /** An answer in the background, as its upstream had it last; undefined = it is none, or nothing of it has arrived. */
  inBackground?: Json;
  /** The task that the upstream has taken; undefined = none. */
  task?: NewTask;
  /** The service tier that the upstream says it used, when it is not the usual one. */
  dearTier?: string;
  /** The upstream's id of the answer and the model that it names, for traces; absent = nobody knows. "" = it names none. */
  answered?: () => AnswerNames;
  /** Something that is no text may be in it; absent = nothing of the kind. */
  holdsMore?: () => boolean;
  /** Bytes of the text that the model wrote, as they stand in JSON; no token is shorter than one. */
  textBytes(): number;
  /** Length of the model's text so far; cheap, and an estimate in a long stream. */
  textLength(): TextLength;
  /** Text written by the model, for counting tokens when the upstream reported no usage. */
  sample(): TextSample;
};

export type TextSample = {
  countable: Countable;
  /** False = `countable` holds only the beginning. */
  isAll: boolean;
  /** Length of all text; an estimate when `isAll` is false. */
  length: TextLength;
};

/** The response turned out to be a failure before any byte reached the client, so another channel can be tried. */
export class AnswerRefused extends Error {
  readonly failure: RawFailure;

  constructor(failure: RawFailure) {
    super("the upstream's response is a failure");
    this.name = "AnswerRefused";
    this.failure = failure;
  }
}

/** `status`: the one that the error stands for. */
export type ReportedError = { status: number; error: RawError };

/** The response turned out to be an error, or incomplete, after bytes had reached the client. */
export class AnswerCut extends Error {
  /** The content is not allowed, so that no other upstream may go on with it. */
  readonly isForbidden: boolean;
  /** The error that the upstream reported; null = it reported none. */
  readonly reported: ReportedError | null;

  constructor(
    message = "the upstream reported an error in mid-stream",
    isForbidden = false,
    reported: ReportedError | null = null,
  ) {
    super(message);
    this.name = "AnswerCut";
    this.isForbidden = isForbidden;
    this.reported = reported;
  }
}

const NO_LENGTH = Object.freeze({ asciiBytes: 0, otherBytes: 0 });

/** Of an answer whose text is not counted, and of what is charged by other means than such a report. */
export const EMPTY_REPORT: Report = Object.freeze({
  usage: null,
  finishReason: null,
  isComplete: true,
  textBytes: () => 0,
  textLength: () => NO_LENGTH,
  sample: () => ({ countable: { texts: [], extra: 0 }, isAll: true, length: NO_LENGTH }),
});
