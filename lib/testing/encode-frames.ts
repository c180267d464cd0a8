import type { Frame } from "../relay/canonical/machine";
import type { Framing } from "../relay/dialects/dialect";

type Encoded = { contentType: string; bytes: Buffer };

const sse = ({ event, data }: Frame): string => `${event === null ? "" : `event: ${event}\n`}data: ${data}\n\n`;

/** Frames as an upstream sends them. */
export function encodeFrames(framing: Framing, frames: readonly Frame[]): Encoded {
  if (framing === "sse") return { contentType: "text/event-stream", bytes: Buffer.from(frames.map(sse).join("")) };
  const lines = frames.map(({ data }) => `${data}\n`).join("");
  return { contentType: "application/x-ndjson", bytes: Buffer.from(lines) };
}
