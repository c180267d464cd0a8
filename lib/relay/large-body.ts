import { Readable } from "node:stream";

/** A body that is not held in memory. It can be read any number of times, as long as its request is handled. */
export type LargeBody = { readonly length: number; open(): Readable };

export type RequestBody = Buffer | LargeBody;

/** What undici sends. */
export function openBody(body: RequestBody): Buffer | Readable {
  return "open" in body ? body.open() : body;
}

/** Parts that follow each other in one body. */
export function joinBodies(parts: readonly RequestBody[]): LargeBody {
  return {
    length: parts.reduce((sum, part) => sum + part.length, 0),
    open: () => Readable.from(bytesOf(parts)),
  };
}

async function* bytesOf(parts: readonly RequestBody[]): AsyncGenerator<Buffer> {
  for (const part of parts) {
    if ("open" in part) yield* part.open();
    else yield part;
  }
}
