import { skipSpace } from "../base/json-splice";
import { ResponseCollector } from "../wire/canonical/collect";
import type { ChatEvent, FinishReason } from "../wire/canonical/event";
import type { Frame, Machine } from "../wire/canonical/machine";
import { NOTHING_USED } from "../wire/canonical/nothing-used";
import type { ChatResponse } from "../wire/canonical/response";
import { responseEvents } from "../wire/canonical/response-events";
import type { Usage } from "../wire/canonical/usage";
import { parseJsonObject } from "../wire/dialects/common/json-text";
import type { ClientDialect, Framing, ReadUsage, RenderContext, UpstreamFormat } from "../wire/dialects/dialect";
import { type Answer, AnswerCut, type AnswerNames, type Report, type UpstreamHead } from "./answer";
import { BodyCollector, WHOLE_BYTES_MAX } from "./body-collector";
import { isEventStream } from "./body-form";
import { responseOfEvents } from "./events-as-whole";
import { openReader, type StreamReader } from "./framing";
import {
  emptyAnswerRefusal,
  emptyRefusal,
  refusal,
  reportedFailure,
  reportedRefusal,
  unreadableRefusal,
} from "./refusal";
import { renderEvents } from "./server-sent-events";
import { TextSampler } from "./text-sampler";

export type TranslateSettings = {
  upstream: UpstreamFormat;
  clientDialect: ClientDialect;
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
  private head: UpstreamHead = { status: 0, contentType: undefined, retryAfter: undefined };
  private badEvents = 0;
  /** At most one of the two is set: what the response is shows with its first byte. */
  private body: BodyCollector | null = null;
  private reader: StreamReader | null = null;
  /** Set when the client gets in one piece what the upstream streams. */
  private readonly collector: ResponseCollector | null;
  private collectedBytes = 0;
  private readonly decoder: Machine<Frame, ChatEvent>;
  private readonly renderer: Machine<ChatEvent, Frame>;
  /** Frames without content (start, usage), held back until the first one with content. */
  private waiting: Frame[] = [];
  private hasPassed = false;
  private usage: Usage | null = null;
  private finishReason: FinishReason | null = null;
  private last: Buffer = Buffer.alloc(0);
  private readonly choices = new Set<number>();
  private names: AnswerNames | null = null;

  constructor(settings: TranslateSettings) {
    this.settings = settings;
    this.contentType = settings.isStream ? "text/event-stream" : "application/json";
    this.decoder = settings.upstream.streamDecoder(settings.readUsage);
    this.renderer = settings.clientDialect.streamRenderer(settings.context);
    const { alwaysStreams, hasNoLimit } = settings.upstream;
    this.collector = (alwaysStreams || hasNoLimit) && !settings.isStream ? new ResponseCollector() : null;
  }

  get events(): number {
    return this.reader?.events ?? this.body?.pieces ?? 0;
  }

  get writtenTokens(): number {
    return this.reader ? this.sampler.written.tokens : 0;
  }

  get isCollected(): boolean {
    return this.collector !== null && this.reader !== null;
  }

  start(head: UpstreamHead): void {
    this.head = head;
    const isWhole = !this.settings.isStream && !this.collector;
    if (head.status > 299 || isWhole) this.body = new BodyCollector(head.status > 299);
  }

  push(bytes: Buffer): Buffer | null {
    if (this.isDone) return null;
    if (!this.reader && !this.body) {
      // Only white space so far.
      if (skipSpace(bytes, 0) === bytes.length) return null;
      const { framing = "sse" } = this.settings.upstream;
      if (isStreamOf(framing, bytes, this.head.contentType)) this.reader = openReader(framing);
      else this.body = new BodyCollector(false);
    }
    if (this.collector) this.checkLength(bytes.length);
    if (this.reader) return this.render(this.decode(this.reader.push(bytes)));
    this.body?.push(bytes);
    return null;
  }

  /** What is collected is kept in memory until its end, as a body is. */
  private checkLength(bytes: number): void {
    this.collectedBytes += bytes;
    if (this.collectedBytes > WHOLE_BYTES_MAX) throw new Error("the upstream's response is too large");
  }

  end(): Buffer | null {
    if (this.reader) return this.endStream(this.reader);
    const { status, contentType, retryAfter } = this.head;
    if (!this.body && contentType?.includes("text/event-stream")) throw emptyRefusal();
    const body = this.body?.body() ?? Buffer.alloc(0);
    if (status > 299) throw refusal(status, body, retryAfter);
    return this.renderWhole(body);
  }

  private endStream(reader: StreamReader): Buffer | null {
    const { badEvents } = this;
    const rest = this.isDone ? [] : [...this.decode(reader.end()), ...this.decoder.end(true)];
    const hasEnd = this.isDone || rest.some(({ type }) => type === "end");
    const hasFinish = this.finishReason !== null || rest.some(({ type }) => type === "finish");
    // A line that breaks off is no clean end.
    const isWhole = hasEnd || (hasFinish && this.badEvents === badEvents);
    if (!isWhole && this.hasPassed) throw new AnswerCut("the upstream ended its response early");
    const last = isWhole ? this.render(rest) : null;
    if (!isWhole || !this.hasPassed) throw emptyRefusal();
    this.isDone = true;
    this.last = this.collector ? this.renderCollected(this.collector) : renderEvents(this.renderer.end(true));
    return last;
  }

  /** Throws when one of the frames reports an error: then none of them counts as delivered. */
  private decode(frames: readonly Frame[]): ChatEvent[] {
    const events: ChatEvent[] = [];
    for (const frame of frames) {
      const decoded = this.decoder.step(frame);
      if (decoded.length === 0 && isBroken(frame)) this.noteBroken(frame);
      for (const event of decoded) {
        if (event.type === "error") throw this.failure(frame);
        events.push(event);
      }
    }
    return events;
  }

  private noteBroken(frame: Frame): void {
    if (frame.event === "error") throw this.failure(frame);
    this.badEvents += 1;
  }

  private failure({ data }: Frame): Error {
    return reportedFailure(data, this.hasPassed && !this.collector);
  }

  private render(events: readonly ChatEvent[]): Buffer | null {
    const frames = this.waiting;
    this.waiting = [];
    for (const event of events) {
      this.note(event);
      if (event.type === "usage" && event.usage === NOTHING_USED) continue;
      if (this.isDone) break;
      if (this.collector) this.collector.add(event);
      else for (const frame of this.renderer.step(event)) frames.push(frame);
      if (event.type !== "start" && event.type !== "usage") this.hasPassed = true;
    }
    if (this.hasPassed) return frames.length > 0 ? renderEvents(frames) : null;
    this.waiting = frames;
    return null;
  }

  private note(event: ChatEvent): void {
    switch (event.type) {
      case "usage":
        // Zeros do not replace counts that came before.
        this.usage = event.usage === NOTHING_USED ? (this.usage ?? NOTHING_USED) : event.usage;
        return;
      case "finish":
        this.finishReason = event.reason;
        return;
      case "end":
        this.isDone = true;
        return;
      case "start":
        this.names = event;
        return;
      case "text-delta":
        this.choices.add(event.choice);
        this.sampler.addEvent(event);
        return;
      default:
        this.sampler.addEvent(event);
    }
  }

  private renderCollected(collector: ResponseCollector): Buffer {
    const { clientDialect, context } = this.settings;
    return Buffer.from(JSON.stringify(clientDialect.renderResponse(collector.collected(), context)));
  }

  private renderWhole(body: Buffer): Buffer | null {
    const { clientDialect, context, isStream } = this.settings;
    const { upstream, readUsage } = this.settings;
    const isEvents = (upstream.framing ?? "sse") === "sse" && isEventStream(body, this.head.contentType);
    const response = isEvents ? responseOfEvents(body, upstream, readUsage) : decodeWhole(body, this.settings);
    this.names = response;
    this.usage = response.usage;
    if (response.usage === NOTHING_USED) response.usage = null;
    this.finishReason = response.choices[0]?.finishReason ?? null;
    this.sampler.addResponse(response);
    this.isDone = true;
    if (!isStream) {
      this.last = Buffer.from(JSON.stringify(clientDialect.renderResponse(response, context)));
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
    const finishes = choices.map((choice): ChatEvent => ({ type: "finish", choice, reason }));
    if (this.collector) {
      for (const finish of finishes) this.collector.add(finish);
      return this.renderCollected(this.collector);
    }
    const frames = finishes.flatMap((finish) => this.renderer.step(finish));
    return renderEvents([...frames, ...this.renderer.end(true)]);
  }

  report(): Report {
    const { usage, finishReason, isDone: isComplete, badEvents, sampler, names } = this;
    return {
      ...(names ? { answered: () => names } : {}),
      usage,
      finishReason,
      isComplete,
      ...(badEvents > 0 ? { badEvents } : {}),
      holdsMore: () => sampler.holdsMore,
      textBytes: () => sampler.written.bytes,
      textLength: () => sampler.length(),
      sample: () => sampler.sample(),
    };
  }
}

/** Throws AnswerRefused. */
function decodeWhole(body: Buffer, { upstream, readUsage }: TranslateSettings): ChatResponse {
  const text = body.toString("utf8");
  const json = parseJsonObject(text);
  if (!json) throw unreadableRefusal(body);
  if (upstream.wholeBody.hasFailed(json)) throw reportedRefusal(text);
  const response = upstream.wholeBody.hasAnswer(json) ? upstream.decode(json, readUsage) : null;
  if (!response) throw emptyAnswerRefusal();
  return response;
}

/** A line of JSON looks like a whole body, so that other framings are told by what was asked for. */
function isStreamOf(framing: Framing, first: Buffer, contentType: string | undefined): boolean {
  if (framing === "sse" || framing === "sse-fields") return isEventStream(first, contentType);
  return framing === "ndjson" || contentType?.includes("application/json") !== true;
}

function isBroken({ data }: Frame): boolean {
  return data.trim() !== "" && parseJsonObject(data) === null;
}
