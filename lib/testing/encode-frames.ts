import { EventStreamCodec, type MessageHeaders } from "@smithy/eventstream-codec";
import type { Frame } from "../relay/wire/canonical/machine";
import type { Framing } from "../relay/wire/dialects/dialect";

type Encoded = { contentType: string; bytes: Buffer };

const sse = ({ event, data }: Frame): string => `${event === null ? "" : `event: ${event}\n`}data: ${data}\n\n`;

function fields({ event, data }: Frame): string {
  const { id, data: text = "", meta } = JSON.parse(data) as { id?: string; data?: string; meta?: string };
  const lines = event === "error" ? [data] : text.split("\n");
  return [
    ...(event === null ? [] : [`event:${event}`]),
    ...(id === undefined ? [] : [`id:${id}`]),
    ...lines.map((line) => `data:${line}`),
    ...(meta === undefined ? [] : [`meta:${meta}`]),
    "\n",
  ].join("\n");
}

/** Frames as an upstream sends them. */
export function encodeFrames(framing: Framing, frames: readonly Frame[]): Encoded {
  if (framing === "sse") return { contentType: "text/event-stream", bytes: Buffer.from(frames.map(sse).join("")) };
  if (framing === "aws-event-stream") {
    return { contentType: "application/vnd.amazon.eventstream", bytes: Buffer.concat(frames.map(encodeAwsEvent)) };
  }
  if (framing === "sse-fields") {
    return { contentType: "text/event-stream", bytes: Buffer.from(frames.map(fields).join("")) };
  }
  const lines = frames.map(({ data }) => `${data}\n`).join("");
  return { contentType: "application/x-ndjson", bytes: Buffer.from(lines) };
}

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes).toString("utf8"),
  (text) => Buffer.from(text),
);

function awsMessage(headers: Record<string, string>, body: string): Buffer {
  const typed: MessageHeaders = {};
  for (const [name, value] of Object.entries(headers)) typed[name] = { type: "string", value };
  return Buffer.from(codec.encode({ headers: typed, body: Buffer.from(body) }));
}

/** A frame without a name is a part of InvokeModelWithResponseStream, one named after an exception is that. */
function encodeAwsEvent({ event, data }: Frame): Buffer {
  if (event?.endsWith("Exception")) {
    const { message } = (JSON.parse(data) as { error: { message: string } }).error;
    const headers = { ":message-type": "exception", ":exception-type": event, ":content-type": "application/json" };
    return awsMessage(headers, JSON.stringify({ message }));
  }
  const part = JSON.stringify({ bytes: Buffer.from(data).toString("base64"), p: "abcdefgh" });
  const headers = { ":message-type": "event", ":content-type": "application/json", ":event-type": event ?? "chunk" };
  return awsMessage(headers, event === null ? part : data);
}
