import { EventStreamCodec } from "@smithy/eventstream-codec";
import { readText } from "../wire/canonical/json";
import type { Frame } from "../wire/canonical/machine";
import { parseJsonObject } from "../wire/dialects/common/json-text";

/** Limit for a message; a longer one fails the response. */
const MESSAGE_BYTES_MAX = 10 * 1_048_576;
/** Two lengths and two checksums. */
const MESSAGE_BYTES_MIN = 16;

const utf8 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
const codec = new EventStreamCodec(utf8, (text) => Buffer.from(text));

/**
 * Reads AWS's event stream (application/vnd.amazon.eventstream). An exception becomes a frame with its type as the
 * event and an error of the usual form; the payload of InvokeModelWithResponseStream's parts is taken out of its base64.
 */
export class AwsEventReader {
  /** Whole messages so far. */
  events = 0;
  /** The beginning of a message that is not whole yet, in pieces. */
  private pieces: Buffer[] = [];
  private size = 0;
  /** How many bytes the message takes; 0 = not known yet. */
  private wanted = 0;

  /** Throws for a message that is too long or damaged. */
  push(bytes: Buffer): Frame[] {
    this.pieces.push(bytes);
    this.size += bytes.length;
    const frames: Frame[] = [];
    while (this.isWhole()) frames.push(readMessage(this.take(this.wanted)));
    this.events += frames.length;
    return frames;
  }

  /** A message that breaks off is a frame that cannot be read. */
  end(): Frame[] {
    const isBroken = this.size > 0;
    this.pieces = [];
    this.size = 0;
    return isBroken ? [{ event: null, data: "a message of the stream is cut short" }] : [];
  }

  private isWhole(): boolean {
    if (this.wanted === 0 && this.size >= 4) this.wanted = lengthOf(this.joined());
    return this.wanted > 0 && this.size >= this.wanted;
  }

  private take(length: number): Uint8Array {
    const all = this.joined();
    // A copy, so that no length in it can reach the memory of something else.
    const message = Uint8Array.prototype.slice.call(all, 0, length);
    const rest = all.subarray(length);
    this.pieces = rest.length > 0 ? [rest] : [];
    this.size = rest.length;
    this.wanted = 0;
    return message;
  }

  private joined(): Buffer {
    const [only] = this.pieces;
    if (only && this.pieces.length === 1) return only;
    const all = Buffer.concat(this.pieces);
    this.pieces = [all];
    return all;
  }
}

function lengthOf(bytes: Buffer): number {
  const length = bytes.readUInt32BE(0);
  if (length < MESSAGE_BYTES_MIN) throw new Error("the stream is not an AWS event stream");
  if (length > MESSAGE_BYTES_MAX) throw new Error("a message of the stream is longer than 10 MB");
  return length;
}

function readMessage(bytes: Uint8Array): Frame {
  const { headers, body } = codec.decode(bytes);
  const header = (name: string): string => readText(headers[name]?.value);
  const data = utf8(body);
  switch (header(":message-type")) {
    case "exception":
      return errorFrame(header(":exception-type"), readText(parseJsonObject(data)?.message));
    case "error":
      return errorFrame(header(":error-code"), header(":error-message"));
  }
  const event = header(":event-type") || null;
  return event === "chunk" ? { event: null, data: partOf(data) } : { event, data };
}

function errorFrame(name: string, message: string): Frame {
  const type = name || "exception";
  return { event: type, data: JSON.stringify({ error: { type, message: message || type } }) };
}

/** What a model wrote into a part of InvokeModelWithResponseStream. */
function partOf(data: string): string {
  const bytes = parseJsonObject(data)?.bytes;
  return typeof bytes === "string" ? Buffer.from(bytes, "base64").toString("utf8") : data;
}
