import type { Frame } from "../wire/canonical/machine";
import type { Framing } from "../wire/dialects/dialect";
import { AwsEventReader } from "./aws-event-stream";
import { EventFieldsReader } from "./event-fields";
import { LineReader } from "./line-reader";
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
