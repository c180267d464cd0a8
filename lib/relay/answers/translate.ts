import type { ChatEvent } from "../canonical/event";
import type { FinishReason } from "../canonical/finish-reason";
import type { Frame, Machine } from "../canonical/machine";
import type { ChatResponse } from "../canonical/response";
import { responseEvents } from "../canonical/response-events";
import type { Usage } from "../canonical/usage";
import type { WireError } from "../canonical/wire-error";
import type { CallerDialect, ReadUsage, RenderContext, UpstreamDialect } from "../dialects/dialect";
import { RawError } from "../upstream-error";
import { type Answer, AnswerCut, AnswerRefused, type Report, type UpstreamHead } from "./answer";
import { BodyCollector } from "./body-collector";
import { emptyRefusal, refusal, unreadableRefusal } from "./refusal";
import { EventReader, renderEvents } from "./server-sent-events";
import { TextSampler } from "./text-sampler";

export type TranslateSettings = {
  upstream: UpstreamDialect;
  caller: CallerDialect;
  context: RenderContext;
  /** The client asked for a stream. */
  isStream: boolean;
  readUsage: ReadUsage;
};

/**
 * For an upstream with another dialect than the client: frames → decoder of the upstream's dialect → canonical events →
 * renderer of the client's dialect. Sends nothing before the first event with content, so that another channel can
 * still be tried.
 */
export class TranslateAnswer implements Answer {
  isDone = false;
  readonly contentType: string;
  private readonly settings: TranslateSettings;
  private readonly sampler = new TextSampler();
  private status = 0;
  private retryAfter: string | undefined;
  private body: BodyCollector | null = null;
  private reader: EventReader | null = null;
  private readonly decoder: Machine<Frame, ChatEvent>;
  private readonly renderer: Machine<ChatEvent, Frame>;
  /** Frames without content (start, usage), held back until the first one with content. */
  private waiting: Frame[] = [];
  private hasPassed = false;
  private usage: Usage | null = null;
  private finishReason: FinishReason | null = null;
  private last: Buffer = Buffer.alloc(0);
  private readonly choices = new Set<number>();

  constructor(settings: TranslateSettings) {
    this.settings = settings;
    this.contentType = settings.isStream ? "text/event-stream" : "application/json";
    this.decoder = settings.upstream.streamDecoder(settings.readUsage);
    this.renderer = settings.caller.streamRenderer(settings.context);
  }

  get events(): number {
    return this.reader?.events ?? this.body?.pieces ?? 0;
  }

  get writtenTokens(): number {
    return this.reader ? this.sampler.written.tokens : 0;
  }

  start({ status, contentType, retryAfter }: UpstreamHead): void {
    this.status = status;
    this.retryAfter = retryAfter;
    const isStream = status < 300 && contentType?.includes("text/event-stream") === true;
    if (isStream && this.settings.isStream) this.reader = new EventReader();
    else this.body = new BodyCollector(status > 299);
  }

  push(bytes: Buffer): Buffer | null {
    if (this.isDone) return null;
    if (this.reader) return this.translate(this.reader.push(bytes));
    this.body?.push(bytes);
    return null;
  }

  end(): Buffer | null {
    if (this.reader) {
      const rest = this.isDone ? null : this.translate(this.reader.end());
      const last = this.isDone ? null : this.render(this.decoder.end(true));
      if (!this.hasPassed) throw emptyRefusal();
      if (!this.isDone && this.finishReason === null) throw new AnswerCut("the upstream ended its answer early");
      this.isDone = true;
      this.last = renderEvents(this.renderer.end(true));
      return joined(rest, last);
    }
    const body = this.body?.body() ?? Buffer.alloc(0);
    if (this.status > 299) throw refusal(this.status, body, this.retryAfter);
    return this.renderWhole(body);
  }

  private translate(frames: readonly Frame[]): Buffer | null {
    const events: ChatEvent[] = [];
    for (const frame of frames) events.push(...this.decoder.step(frame));
    return this.render(events);
  }

  private render(events: readonly ChatEvent[]): Buffer | null {
    const frames = this.waiting;
    this.waiting = [];
    for (const event of events) {
      this.note(event);
      if (this.isDone) break;
      frames.push(...this.renderer.step(event));
      if (event.type !== "start" && event.type !== "usage") this.hasPassed = true;
    }
    if (this.hasPassed) return frames.length > 0 ? renderEvents(frames) : null;
    this.waiting = frames;
    return null;
  }

  private note(event: ChatEvent): void {
    switch (event.type) {
      case "error":
        throw this.failure(event.error);
      case "usage":
        this.usage = event.usage;
        return;
      case "finish":
        this.finishReason = event.reason;
        return;
      case "end":
        this.isDone = true;
        return;
      case "text-delta":
        this.choices.add(event.choice);
        this.sampler.addEvent(event);
        return;
      default:
        this.sampler.addEvent(event);
    }
  }

  private failure(error: WireError): Error {
    if (this.hasPassed) return new AnswerCut();
    return new AnswerRefused({ kind: "status", status: 500, error: new RawError(error), retryAfterMs: null });
  }

  private renderWhole(body: Buffer): Buffer | null {
    const { caller, context, isStream } = this.settings;
    const response = decodeWhole(body, this.settings);
    if (!response) throw unreadableRefusal(body);
    this.usage = response.usage;
    this.finishReason = response.choices[0]?.finishReason ?? null;
    this.sampler.addResponse(response);
    this.isDone = true;
    if (!isStream) {
      this.last = Buffer.from(JSON.stringify(caller.renderResponse(response, context)));
      return null;
    }
    const frames = responseEvents(response).flatMap((event) => this.renderer.step(event));
    this.last = renderEvents(this.renderer.end(true));
    return renderEvents(frames);
  }

  ending(): Buffer {
    return this.last;
  }

  cutShort(): Buffer {
    const reason: FinishReason = { unified: "length", raw: "length" };
    const choices = this.choices.size > 0 ? [...this.choices] : [0];
    const frames = choices.flatMap((choice) => this.renderer.step({ type: "finish", choice, reason }));
    return renderEvents([...frames, ...this.renderer.end(true)]);
  }

  report(): Report {
    const { usage, finishReason, isDone: isComplete, sampler } = this;
    return {
      usage,
      finishReason,
      isComplete,
      textBytes: () => sampler.written.bytes,
      textLength: () => sampler.length(),
      sample: () => sampler.sample(),
    };
  }
}

function decodeWhole(body: Buffer, { upstream, readUsage }: TranslateSettings): ChatResponse | null {
  let json: unknown;
  try {
    json = JSON.parse(body.toString("utf8"));
  } catch {
    return null;
  }
  const isObject = typeof json === "object" && json !== null && !Array.isArray(json);
  return isObject ? upstream.decode(json as Record<string, unknown>, readUsage) : null;
}

function joined(first: Buffer | null, second: Buffer | null): Buffer | null {
  return first && second ? Buffer.concat([first, second]) : (first ?? second);
}
