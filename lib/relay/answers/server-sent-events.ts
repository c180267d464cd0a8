import type { Frame } from "../wire/canonical/machine";

/** Limit for a line without an end, and for the data of an event; a longer one fails the response. */
const LINE_CHARACTERS_MAX = 10 * 1_048_576;

const CR = 0x0d;
const SPACE = 0x20;
/** Bytes from here on belong to characters of several bytes. */
const FIRST_OF_SEVERAL = 0x80;

/**
 * Parses an event stream into events (WHATWG HTML §9.2). Comments, ids and retry times are ignored. It reads every chunk
 * of a translated stream, so it makes no arrays of lines.
 */
export class EventReader {
  /** Complete events so far. */
  events = 0;
  private readonly decoder = new TextDecoder();
  /** The decoder may hold a part of a character, or of the mark that a stream may begin with. */
  private isAmid = true;
  private rest = "";
  private event: string | null = null;
  private readonly keepsSpace: boolean;
  private data: string | null = null;
  private name = "";

  /** `keepsSpace`: a blank before data belongs to it. */
  constructor(keepsSpace = false) {
    this.keepsSpace = keepsSpace;
  }

  /** Returns the events completed by these bytes. Throws when a line gets too long. */
  push(bytes: Buffer): Frame[] {
    return this.read(this.textOf(bytes));
  }

  /** Returns the rest at the end of the stream, treating an unfinished event as complete. */
  end(): Frame[] {
    return this.read(`${this.decoder.decode()}\n\n`);
  }

  /** Decoding a buffer at once takes a third of the time. */
  private textOf(bytes: Buffer): string {
    const endsWhole = (bytes[bytes.length - 1] ?? FIRST_OF_SEVERAL) < FIRST_OF_SEVERAL;
    if (endsWhole && !this.isAmid) return bytes.toString("utf8");
    this.isAmid = !endsWhole;
    return this.decoder.decode(bytes, { stream: true });
  }

  private read(text: string): Frame[] {
    const frames: Frame[] = [];
    const all = this.rest + text;
    if (all.length > LINE_CHARACTERS_MAX) throw new Error("a line of the stream is longer than 10 MB");
    this.rest = all;
    // Searched only when a line is whole: else a long line would be copied with every piece of it.
    if (!text.includes("\n")) return frames;
    let start = 0;
    for (let end = all.indexOf("\n"); end !== -1; end = all.indexOf("\n", start)) {
      const hasReturn = end > start && all.charCodeAt(end - 1) === CR;
      this.readLine(all, start, hasReturn ? end - 1 : end, frames);
      start = end + 1;
    }
    this.rest = start === all.length ? "" : all.slice(start);
    return frames;
  }

  private readLine(text: string, start: number, end: number, frames: Frame[]): void {
    if (start === end) this.finish(frames);
    else if (text.startsWith("data:", start)) {
      this.addData(text.slice(this.keepsSpace ? start + 5 : valueAt(text, start + 5), end));
    } else if (text.startsWith("event:", start)) this.event = this.nameOf(text, valueAt(text, start + 6), end);
    else this.readRare(text.slice(start, end));
  }

  private readRare(line: string): void {
    const colon = line.indexOf(":");
    if (colon === 0) return;
    const name = colon === -1 ? line : line.slice(0, colon);
    if (name === "data") this.addData("");
    else if (name === "event") this.event = "";
    else this.readField(name, colon === -1 ? "" : line.slice(valueAt(line, colon + 1)));
  }

  /** Most events of a stream have the same name, which is not copied again. */
  private nameOf(text: string, start: number, end: number): string {
    const { name } = this;
    if (end - start !== name.length || !text.startsWith(name, start)) this.name = text.slice(start, end);
    return this.name;
  }

  private addData(value: string): void {
    this.data = this.data === null ? value : `${this.data}\n${value}`;
    if (this.data.length > LINE_CHARACTERS_MAX) throw new Error("an event of the stream is longer than 10 MB");
  }

  private finish(frames: Frame[]): void {
    if (this.hasEvent()) {
      frames.push(this.frameOf(this.event, this.data ?? ""));
      this.events += 1;
    }
    this.event = null;
    this.data = null;
  }

  protected hasEvent(): boolean {
    return this.data !== null;
  }

  /** A field that does not count in most streams. */
  protected readField(_name: string, _value: string): void {}

  protected frameOf(event: string | null, data: string): Frame {
    return { event, data };
  }
}

/** The index of a field's value: a space after the colon is not part of it. */
function valueAt(text: string, at: number): number {
  return text.charCodeAt(at) === SPACE ? at + 1 : at;
}

/** Frames as an event stream. `data` must be a single line, as JSON is. */
export function renderEvents(frames: readonly Frame[]): Buffer {
  let text = "";
  for (const { event, data } of frames) {
    text += event === null ? `data: ${data}\n\n` : `event: ${event}\ndata: ${data}\n\n`;
  }
  return Buffer.from(text);
}
