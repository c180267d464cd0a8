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

/** Divisible by three, so that pieces of base64 can be joined. */
const PIECE = 49_152;

/** The bytes of a body in base64, made as they are sent. */
export function inBase64(body: LargeBody): LargeBody {
  return { length: Math.ceil(body.length / 3) * 4, open: () => Readable.from(base64Of(body)) };
}

async function* base64Of(body: LargeBody): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  for await (const part of body.open()) {
    const bytes = Buffer.concat([rest, part as Buffer]);
    const whole = bytes.length - (bytes.length % 3);
    for (let at = 0; at < whole; at += PIECE) {
      yield Buffer.from(bytes.toString("base64", at, Math.min(whole, at + PIECE)), "latin1");
    }
    rest = bytes.subarray(whole);
  }
  if (rest.length > 0) yield Buffer.from(rest.toString("base64"), "latin1");
}
