import { type Json, readText } from "../../wire/canonical/json";
import { reportsError } from "../../wire/dialects/common/reported-error";
import { emptyRefusal, reportedFailure } from "../refusal";
import { JsonSkeleton } from "./json-skeleton";
import type { MediaFacts, ReadFacts } from "./media-facts";
import { joined, MEDIA_BYTES_MAX, type MediaReader, NOTHING, tooMuch } from "./media-reader";

/** An event that is longer is passed on while it arrives: it is a picture or a sound, and no error. */
const EVENT_HELD = 65_536;
/** Comments and the like before the first event. */
const BEFORE_MAX = 4 * 1_048_576;
const FINAL = /\.(completed|done)$/;
/** One picture of a series was not drawn; the others follow. */
const FAILED_IN_PART = /\.partial_failed$/;
const LF = 0x0a;
const CR = 0x0d;
const DATA = "data:";
const EVENT = "event:";

export type EventsSettings = { facts: MediaFacts; readFacts: ReadFacts };

/**
 * A stream of events: each goes to the client as it is, the last one when the answer is paid. An error before the first
 * event is a failure, one after it cuts the answer, and so does an end without a final event.
 */
export class EventsReader implements MediaReader {
  private readonly settings: EventsSettings;
  /** Bytes of the event that arrives, and whether some of it was passed on. */
  private pending: Buffer[] = [];
  private pendingBytes = 0;
  private skeleton = new JsonSkeleton();
  private name = "";
  /** What the line begins with, and whether anything but its end has arrived. */
  private line = "";
  private hasData = false;
  private ready: Buffer[] = [];
  /** From the final event on. */
  private last: Buffer[] = [];
  private hasBegun = false;
  private isFinal = false;
  /** The first part that failed; "" = none did. */
  private failedPart = "";
  events = 0;

  constructor(settings: EventsSettings) {
    this.settings = settings;
  }

  push(bytes: Buffer): Buffer | null {
    const { facts } = this.settings;
    facts.bytes += bytes.length;
    if (facts.bytes > MEDIA_BYTES_MAX) throw tooMuch();
    let from = 0;
    let at = 0;
    while (at < bytes.length) {
      const end = bytes.indexOf(LF, at);
      this.passLine(bytes.subarray(at, end === -1 ? bytes.length : end));
      if (end === -1) break;
      at = end + 1;
      if (this.endLine()) {
        this.add(bytes.subarray(from, at));
        this.endEvent();
        from = at;
      }
    }
    if (from < bytes.length) this.add(bytes.subarray(from));
    if (this.pendingBytes > EVENT_HELD && (this.hasData || this.hasBegun)) this.passPending();
    if (!this.hasBegun && facts.bytes > BEFORE_MAX) throw tooMuch();
    return this.taken();
  }

  private add(bytes: Buffer): void {
    this.pending.push(bytes);
    this.pendingBytes += bytes.length;
  }

  /** Part of a line, or all of it. */
  private passLine(bytes: Buffer): void {
    let rest = bytes;
    if (this.line.length < EVENT.length) {
      const more = bytes.toString("latin1", 0, EVENT.length - this.line.length);
      this.line += more;
      const over = this.line.startsWith(DATA) ? this.line.length - DATA.length : 0;
      rest = bytes.subarray(more.length - Math.min(over, more.length));
    }
    if (this.line.startsWith(DATA)) {
      this.hasData = true;
      if (rest.length > 0) this.skeleton.push(rest);
    } else if (this.line.startsWith(EVENT) && this.name.length < EVENT_HELD) this.name += rest.toString("latin1");
  }

  /** True = the line was blank. */
  private endLine(): boolean {
    const isBlank = this.line === "" || this.line === String.fromCharCode(CR);
    this.line = "";
    return isBlank;
  }

  private endEvent(): void {
    const { facts, readFacts } = this.settings;
    const { skeleton, hasData, pending } = this;
    const name = this.name.trim();
    const text = skeleton.text.trim();
    this.skeleton = new JsonSkeleton();
    this.name = "";
    this.hasData = false;
    this.pending = [];
    this.pendingBytes = 0;
    if (!hasData || text === "[DONE]") {
      if (text === "[DONE]" && this.hasBegun) this.isFinal = true;
      (this.isFinal ? this.last : this.ready).push(...pending);
      return;
    }
    const json = skeleton.json() ?? {};
    const type = readText(json.type) || name;
    if (FAILED_IN_PART.test(type)) {
      this.failedPart ||= text;
      this.ready.push(...pending);
      return;
    }
    if (isError(json, type)) {
      // Some makers tell there what they bill for the parts before.
      if (this.hasBegun) readFacts(json, facts);
      throw this.failure(text);
    }
    if (this.failedPart !== "" && FINAL.test(type) && !this.hasBegun) throw this.failure(this.failedPart);
    this.events += 1;
    this.hasBegun = true;
    readFacts(json.type === undefined ? { ...json, type } : json, facts);
    // Each of several pictures has a final event of its own: only the last one ends the stream.
    this.ready.push(...this.last.splice(0));
    this.isFinal = FINAL.test(type);
    (this.isFinal ? this.last : this.ready).push(...pending);
  }

  private failure(text: string): Error {
    return reportedFailure(Buffer.from(text, "latin1").toString("utf8"), this.hasBegun);
  }

  /** All of a long event but its last piece. */
  private passPending(): void {
    this.hasBegun = true;
    this.events += 1;
    this.ready.push(...this.last.splice(0), ...this.pending.splice(0, this.pending.length - 1));
    this.pendingBytes = this.pending[0]?.length ?? 0;
  }

  private taken(): Buffer | null {
    if (!this.hasBegun || this.ready.length === 0) return null;
    return joined(this.ready.splice(0));
  }

  end(): Buffer | null {
    // A last event without a blank line behind it.
    if (this.hasData) this.endEvent();
    if (!this.hasBegun) throw this.failedPart === "" ? emptyRefusal() : this.failure(this.failedPart);
    if (!this.isFinal) throw new Error("the upstream's stream has no end");
    return this.taken();
  }

  ending(): Buffer {
    return this.last.length === 0 ? NOTHING : joined(this.last);
  }
}

function isError(json: Json, type: string): boolean {
  return type === "error" || type.endsWith(".failed") || reportsError(json, type, true);
}
