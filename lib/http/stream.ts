import type { Readable } from "node:stream";
import type { Dispatcher } from "undici";

/** No proxy on the way may buffer, transform or compress the stream. */
const STREAM_HEADERS = {
  "cache-control": "no-cache, no-transform",
  "content-encoding": "identity",
  "x-accel-buffering": "no",
};

/** What of an answer's headers its reader needs. */
const KEPT = [
  "content-disposition",
  "content-security-policy",
  "retry-after",
  "x-content-type-options",
  "x-oneapi-request-id",
];

/** An answer of the relay, passed on while it arrives. */
export function streamOf(answer: Dispatcher.ResponseData): Response {
  const headers = new Headers(STREAM_HEADERS);
  headers.set("content-type", String(answer.headers["content-type"] ?? "application/json"));
  for (const name of KEPT) {
    const value = answer.headers[name];
    if (typeof value === "string") headers.set(name, value);
  }
  return new Response(webStreamOf(answer.body), { status: answer.statusCode, headers });
}

/** With them goes what keeps a browser from running the file. */
const OF_FILE = [
  "accept-ranges",
  "cache-control",
  "content-length",
  "content-range",
  "content-security-policy",
  "content-type",
  "retry-after",
  "x-content-type-options",
  "x-oneapi-request-id",
];
const EXTENSIONS: Readonly<Record<string, string>> = { "video/webm": "webm", "video/quicktime": "mov" };

/** A video of the relay's, or why there is none, passed on while it arrives. `name`: of the file, without its extension. */
export function videoOf(answer: Dispatcher.ResponseData, name: string): Response {
  const headers = new Headers();
  for (const field of OF_FILE) {
    const value = answer.headers[field];
    if (typeof value === "string") headers.set(field, value);
  }
  if (answer.statusCode < 300) {
    const extension = EXTENSIONS[headers.get("content-type") ?? ""] ?? "mp4";
    headers.set("content-disposition", `inline; filename="${name}.${extension}"`);
  }
  return new Response(webStreamOf(answer.body), { status: answer.statusCode, headers });
}

/** Node's own Readable.toWeb throws, beyond anybody's reach, when a piece arrives for a reader that has just left. */
function webStreamOf(body: Readable): ReadableStream<Uint8Array> {
  const pieces = body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  // The reader sees it too.
  body.on("error", () => {});
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const piece = await pieces.next();
        if (piece.done) controller.close();
        else controller.enqueue(piece.value);
      },
      cancel: () => void body.destroy(),
    },
    { highWaterMark: 0 },
  );
}
