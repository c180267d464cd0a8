import type { Frame } from "../wire/canonical/machine";
import { parseJsonObject } from "../wire/dialects/common/json-text";
import type { Framing } from "../wire/dialects/dialect";
import { AwsEventReader } from "./aws-event-stream";
import { EventReader } from "./server-sent-events";

/** Divides the bytes of a stream into frames. One per stream. */
export type StreamReader = {
  /** Whole frames so far. */
  readonly events: number;
  /** Returns the frames completed by these bytes. Throws when one gets too long or cannot be read. */
  push(bytes: Buffer): Frame[];
  /** Returns the rest at the end of the stream. */
  end(): Frame[];
};

const readers: Readonly<Record<Framing, () => StreamReader>> = {
  sse: () => new EventReader(),
  "sse-fields": () => new EventFieldsReader(),
  ndjson: () => new LineReader(),
  "aws-event-stream": () => new AwsEventReader(),
};

export function openReader(framing: Framing): StreamReader {
  return readers[framing]();
}

/**
 * Events whose data is plain text, and whose fields `id` and `meta` count. Zhipu writes no blank behind the colon, so that
 * one there is the text's. The data of an error may be JSON already.
 */
export class EventFieldsReader extends EventReader {
  private id: string | undefined;
  private meta: string | undefined;

  constructor() {
    super(true);
  }

  protected override readField(name: string, value: string): void {
    if (name === "id") this.id = value;
    else if (name === "meta") this.meta = value;
  }

  protected override hasEvent(): boolean {
    return super.hasEvent() || this.meta !== undefined;
  }

  protected override frameOf(event: string | null, data: string): Frame {
    const { id, meta } = this;
    this.id = undefined;
    this.meta = undefined;
    if (event === "error") return { event, data: parseJsonObject(data) ? data : JSON.stringify({ msg: data }) };
    return { event, data: JSON.stringify({ id, data, meta }) };
  }
}

/** Limit for a line without an end; a longer one fails the response. */
const LINE_CHARACTERS_MAX = 10 * 1_048_576;

/** Reads a stream of JSON objects, one a line. Empty lines are left out. */
class LineReader {
  events = 0;
  private readonly decoder = new TextDecoder();
  private rest = "";

  /** Returns the lines completed by these bytes. Throws when a line gets too long. */
  push(bytes: Buffer): Frame[] {
    return this.read(this.decoder.decode(bytes, { stream: true }));
  }

  /** Returns the rest at the end of the stream as a line. */
  end(): Frame[] {
    return this.read(`${this.decoder.decode()}\n`);
  }

  private read(text: string): Frame[] {
    this.rest += text;
    if (this.rest.length > LINE_CHARACTERS_MAX) throw new Error("a line of the stream is longer than 10 MB");
    // Joined only when a line is whole: else a long line would be copied with every piece of it.
    if (!text.includes("\n")) return [];
    const lines = this.rest.split("\n");
    this.rest = lines.pop() ?? "";
    const frames = lines.flatMap((line) => (line.trim() === "" ? [] : [{ event: null, data: line.trim() }]));
    this.events += frames.length;
    return frames;
  }
}
