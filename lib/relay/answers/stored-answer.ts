import type { Secrets } from "../base/secrets";
import { type Json, readObject, readText } from "../wire/canonical/json";
import { parseJsonObject } from "../wire/dialects/common/json-text";
import { type Answer, AnswerCut, type Report, type UpstreamHead } from "./answer";
import { BodyCollector } from "./body-collector";
import { refusal, unreadableRefusal } from "./refusal";
import { endOfWholeEvents, splitEvents } from "./whole-events";

/** How something stored is given: as JSON in one piece, as events, or as bytes that are not looked at. */
export type StoredForm = "json" | "events" | "bytes";

const EVENT_BYTES_MAX = 10 * 1_048_576;
const NEWLINE = 0x0a;
const NOTHING: Buffer = Buffer.alloc(0);
/** The events that a response ends with. */
const ENDS = new Set(["response.completed", "response.incomplete", "response.failed", "response.cancelled", "error"]);

/** Where a caller finds the answer of the last attempt. */
export type Opened = { answer: StoredAnswer | null };

/** What an account of an upstream gives of what it keeps. */
export class StoredAnswer implements Answer {
  readonly writtenTokens = 0;
  events = 0;
  isDone = false;
  /** The object, where it was given in one piece, or by the last event that has a response. */
  json: Json | null = null;
  /** Of the text that its events have passed on. */
  passedBytes = 0;
  private form: StoredForm;
  private readonly secrets: Secrets;
  private head: UpstreamHead = { status: 0, contentType: undefined, retryAfter: undefined };
  private collector: BodyCollector | null = null;
  private whole = NOTHING;
  private held = NOTHING;

  constructor(form: StoredForm, secrets: Secrets) {
    this.form = form;
    this.secrets = secrets;
  }

  get contentType(): string {
    // What a user has uploaded must never be shown as a page of this site.
    if (this.form === "bytes") return "application/octet-stream";
    return this.form === "events" ? "text/event-stream" : "application/json";
  }

  start(head: UpstreamHead): void {
    this.head = head;
    const isError = head.status > 299;
    if (isError || (this.form === "events" && !head.contentType?.includes("text/event-stream"))) this.form = "json";
    if (this.form === "json") this.collector = new BodyCollector(isError);
  }

  push(bytes: Buffer): Buffer | null {
    // After a pause an empty piece may arrive; as a chunk it would end the response.
    if (bytes.length === 0) return null;
    this.events += 1;
    if (this.collector) {
      this.collector.push(bytes);
      return null;
    }
    return this.form === "bytes" ? bytes : this.pushEvents(bytes);
  }

  /** Whole events only, so that no secret is cut in two, and a stream that breaks off ends between two of them. */
  private pushEvents(bytes: Buffer): Buffer | null {
    const all = this.held.length === 0 ? bytes : Buffer.concat([this.held, bytes]);
    const end = endOfWholeEvents(all, NEWLINE);
    this.held = all.subarray(end);
    if (this.held.length > EVENT_BYTES_MAX) throw new Error("an event of the stream is longer than 10 MB");
    return end === 0 ? null : this.pass(all.subarray(0, end));
  }

  /** The last event is kept for `ending`: it is sent when what it reports is in the books. */
  private pass(events: Buffer): Buffer | null {
    for (const { start, frame } of splitEvents(events)) {
      const json = frame && parseJsonObject(frame.data);
      if (!json) continue;
      if (json.response !== undefined) this.json = readObject(json.response);
      if (typeof json.delta === "string") this.passedBytes += Buffer.byteLength(json.delta);
      if (!ENDS.has(readText(json.type))) continue;
      this.isDone = true;
      this.whole = this.redacted(events.subarray(start));
      return start === 0 ? null : this.redacted(events.subarray(0, start));
    }
    return this.redacted(events);
  }

  private redacted(bytes: Buffer): Buffer {
    return bytes.includes('"error"') ? Buffer.from(this.secrets.redact(bytes.toString("utf8"))) : bytes;
  }

  end(): Buffer | null {
    const { status, retryAfter } = this.head;
    if (!this.collector) {
      // A stream that is asked for after its last event has none.
      if (this.form === "events" && this.events > 0 && !this.isDone) throw new AnswerCut("the stream has no end");
      return null;
    }
    const body = this.collector.body();
    if (status > 299) throw refusal(status, body, retryAfter);
    this.json = parseJsonObject(body.toString("utf8"));
    if (!this.json) throw unreadableRefusal(body);
    this.whole = this.redacted(body);
    return null;
  }

  ending(): Buffer {
    return this.whole;
  }

  cutShort(): Buffer {
    return this.whole;
  }

  report(): Report {
    return {
      usage: null,
      finishReason: null,
      isComplete: true,
      textBytes: () => 0,
      textLength: () => ({ asciiBytes: 0, otherBytes: 0 }),
      sample: () => ({ countable: { texts: [], extra: 0 }, isAll: true, length: { asciiBytes: 0, otherBytes: 0 } }),
    };
  }
}
