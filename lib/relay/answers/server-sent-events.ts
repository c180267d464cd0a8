import type { Frame } from "../canonical/machine";

/** Limit for a line without an end, and for the data of an event; a longer one fails the response. */
const LINE_CHARACTERS_MAX = 10 * 1_048_576;

/** Parses an event stream into events (WHATWG HTML §9.2). Comments, ids and retry times are ignored. */
export class EventReader {
  /** Complete events so far. */
  events = 0;
  private readonly decoder = new TextDecoder();
  private rest = "";
  private event: string | null = null;
  private readonly keepsSpace: boolean;
  protected data: string[] = [];
  /** Characters of `data`, with a line end for each. */
  private length = 0;

  /** `keepsSpace`: a blank before data belongs to it. */
  constructor(keepsSpace = false) {
    this.keepsSpace = keepsSpace;
  }

  /** Returns the events completed by these bytes. Throws when a line gets too long. */
  push(bytes: Buffer): Frame[] {
    return this.read(this.decoder.decode(bytes, { stream: true }));
  }

  /** Returns the rest at the end of the stream, treating an unfinished event as complete. */
  end(): Frame[] {
    return this.read(`${this.decoder.decode()}\n\n`);
  }

  private read(text: string): Frame[] {
    const frames: Frame[] = [];
    this.rest += text;
    if (this.rest.length > LINE_CHARACTERS_MAX) throw new Error("a line of the stream is longer than 10 MB");
    // Joined only when a line is whole: else a long line would be copied with every piece of it.
    if (!text.includes("\n")) return frames;
    const lines = this.rest.split("\n");
    this.rest = lines.pop() ?? "";
    for (const line of lines) this.readLine(line.endsWith("\r") ? line.slice(0, -1) : line, frames);
    return frames;
  }

  private readLine(line: string, frames: Frame[]): void {
    if (line === "") {
      if (this.hasEvent()) {
        frames.push(this.frameOf(this.event, this.data.join("\n")));
        this.events += 1;
      }
      this.event = null;
      this.data = [];
      this.length = 0;
      return;
    }
    const colon = line.indexOf(":");
    if (colon === 0) return;
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (name === "data") this.addData(this.keepsSpace ? line.slice(colon + 1) : value);
    else if (name === "event") this.event = value;
    else this.readField(name, value);
  }

  private addData(value: string): void {
    this.length += value.length + 1;
    if (this.length > LINE_CHARACTERS_MAX) throw new Error("an event of the stream is longer than 10 MB");
    this.data.push(value);
  }

  protected hasEvent(): boolean {
    return this.data.length > 0;
  }

  /** A field that does not count in most streams. */
  protected readField(_name: string, _value: string): void {}

  protected frameOf(event: string | null, data: string): Frame {
    return { event, data };
  }
}

/** Frames as an event stream. `data` must be a single line, as JSON is. */
export function renderEvents(frames: readonly Frame[]): Buffer {
  let text = "";
  for (const { event, data } of frames) {
    text += event === null ? `data: ${data}\n\n` : `event: ${event}\ndata: ${data}\n\n`;
  }
  return Buffer.from(text);
}
