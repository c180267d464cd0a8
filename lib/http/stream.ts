import { Readable } from "node:stream";
import type { Dispatcher } from "undici";

/** No proxy on the way may buffer, transform or compress the stream. */
const STREAM_HEADERS = {
  "cache-control": "no-cache, no-transform",
  "content-encoding": "identity",
  "x-accel-buffering": "no",
};

/** What of an answer's headers its reader needs. */
const KEPT = ["content-disposition", "retry-after", "x-oneapi-request-id"];

/** An answer of the relay, passed on while it arrives. */
export function streamOf(answer: Dispatcher.ResponseData): Response {
  const headers = new Headers(STREAM_HEADERS);
  headers.set("content-type", String(answer.headers["content-type"] ?? "application/json"));
  for (const name of KEPT) {
    const value = answer.headers[name];
    if (typeof value === "string") headers.set(name, value);
  }
  return new Response(Readable.toWeb(answer.body) as ReadableStream, { status: answer.statusCode, headers });
}
