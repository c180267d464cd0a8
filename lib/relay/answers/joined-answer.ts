import type { Usage } from "../wire/canonical/usage";
import type { ResumedStream } from "../wire/dialects/dialect";
import { type Answer, AnswerCut, AnswerRefused, type Report, type UpstreamHead } from "./answer";
import { Join } from "./join";
import { PrefilledText, RepeatedText } from "./text-join";
import { TextSampler } from "./text-sampler";
import { TranslateAnswer, type TranslateSettings } from "./translate";

/** How another upstream is asked to go on with an answer. */
export type ContinuationWay =
  /** It is asked the same again, and what the client has already is left out. */
  | { type: "repeat" }
  /** It gets the beginning of the answer. `given`: that text. `tokens`: how many it has. `echoes`: it says it again first. */
  | { type: "prefill"; given: string; tokens: number; echoes: boolean };

export type JoinedSettings = Omit<TranslateSettings, "isStream"> & {
  resumed: ResumedStream;
  way: ContinuationWay;
  /** What the client has ends with a blank line; false = its last event is still open. */
  isBetweenEvents: boolean;
};

/** The answer of an upstream that goes on with what another one began. */
export class JoinedAnswer implements Answer {
  readonly contentType = "text/event-stream";
  private readonly inner: TranslateAnswer;
  private readonly join: Join;
  private readonly way: ContinuationWay;
  /** What the client has of both. */
  private readonly sampler = new TextSampler();
  private hasSent = false;
  private separator: Buffer;

  constructor({ resumed, way, isBetweenEvents, ...settings }: JoinedSettings) {
    const { text, thoughts, renderer } = resumed;
    this.way = way;
    this.separator = isBetweenEvents ? NOTHING : BLANK;
    this.sampler.addEvent({ type: "thinking-delta", choice: 0, text: thoughts });
    this.sampler.addEvent({ type: "text-delta", choice: 0, text });
    this.join = new Join({
      text: way.type === "repeat" ? new RepeatedText(text) : prefilled(text, way),
      renderer,
      wholeUsage: (own) => wholeUsage(own, way),
      onPass: (event) => this.sampler.addEvent(event),
    });
    const clientDialect = { ...settings.clientDialect, streamRenderer: () => this.join };
    this.inner = new TranslateAnswer({ ...settings, clientDialect, isStream: true });
  }

  get isDone(): boolean {
    return this.inner.isDone;
  }

  get events(): number {
    return this.inner.events;
  }

  get isHeldBack(): boolean {
    return this.join.hasBegun;
  }

  get writtenTokens(): number {
    return this.sampler.written.tokens;
  }

  start(head: UpstreamHead): void {
    this.inner.start(head);
  }

  push(bytes: Buffer): Buffer | null {
    return this.checked(this.inner.push(bytes));
  }

  end(): Buffer | null {
    return this.checked(this.inner.end());
  }

  private checked(ready: Buffer | null): Buffer | null {
    if (this.join.differs) throw this.hasSent ? new AnswerCut(DIFFERS) : new AnswerRefused(OTHER_WORDS);
    if (ready === null || ready.length === 0) return null;
    this.hasSent = true;
    return this.separated(ready);
  }

  private separated(bytes: Buffer): Buffer {
    if (this.separator === NOTHING) return bytes;
    const { separator } = this;
    this.separator = NOTHING;
    return Buffer.concat([separator, bytes]);
  }

  ending(): Buffer {
    return this.separated(this.inner.ending());
  }

  cutShort(): Buffer {
    return this.inner.cutShort();
  }

  report(): Report {
    const { sampler, way, join } = this;
    return {
      ...this.inner.report(),
      usage: join.usage,
      ...(way.type === "prefill" ? { isEstimated: true } : {}),
      textBytes: () => sampler.written.bytes,
      textLength: () => sampler.length(),
      sample: () => sampler.sample(),
    };
  }

  /** What this upstream itself delivered, whatever of it was passed on. */
  ownReport(): Report {
    return this.inner.report();
  }
}

const NOTHING = Buffer.alloc(0);
const BLANK = Buffer.from("\n");
function prefilled(text: string, { given, echoes }: ContinuationWay & { type: "prefill" }): PrefilledText {
  return new PrefilledText(given, text.slice(given.length), echoes);
}

const DIFFERS = "the answer differs from what the client has of it";
const OTHER_WORDS = { kind: "network", message: DIFFERS, cause: "differs" } as const;

/**
 * An answer that repeats everything has the usage of the whole. Of one that goes on from a given text, that text is part
 * of the answer and not of the prompt.
 */
function wholeUsage(own: Usage, way: ContinuationWay): Usage {
  if (way.type === "repeat") return own;
  const promptTokens = Math.max(0, own.promptTokens - way.tokens);
  const cachedTokens = Math.min(own.cachedTokens, promptTokens);
  return {
    ...own,
    promptTokens,
    cachedTokens,
    cacheWriteTokens: Math.min(own.cacheWriteTokens, promptTokens - cachedTokens),
    completionTokens: own.completionTokens + way.tokens,
  };
}
