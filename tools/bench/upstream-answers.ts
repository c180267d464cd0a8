import type { IncomingMessage, ServerResponse } from "node:http";

/** What every whole answer and every chunk says. The check of another gateway looks for them. */
export const WHOLE_TEXT = "x".repeat(1_180);
export const CHUNK_TEXT = "twenty tokens or so of text";
export const CHUNKS = Number(process.env.BENCH_CHUNKS ?? 200);
const PACE_MS = Number(process.env.BENCH_PACE_MS ?? 10);

/** What the last message of a request for a brief stream begins with. */
export const BRIEF_MARK = "bench-brief";
export const BRIEF_CHUNKS = 3;
const BRIEF_PACE_MS = 1;

const answer = Buffer.from(
  JSON.stringify({
    id: "chatcmpl-bench",
    object: "chat.completion",
    created: 1_700_000_000,
    model: "bench-model",
    choices: [{ index: 0, message: { role: "assistant", content: WHOLE_TEXT }, finish_reason: "stop" }],
    usage: { prompt_tokens: 200, completion_tokens: 300, total_tokens: 500 },
  }),
);

function frame(delta: object, extra: object = {}): Buffer {
  const choices = [{ index: 0, delta, finish_reason: null }];
  const body = {
    id: "chatcmpl-bench",
    object: "chat.completion.chunk",
    created: 1_700_000_000,
    model: "bench-model",
    choices,
    ...extra,
  };
  return Buffer.from(`data: ${JSON.stringify(body)}\n\n`);
}

const chunk = frame({ content: CHUNK_TEXT });
const usage = frame({}, { choices: [], usage: { prompt_tokens: 200, completion_tokens: 300, total_tokens: 500 } });
const tail = Buffer.concat([usage, Buffer.from("data: [DONE]\n\n")]);

function stream(response: ServerResponse, chunks: number, paceMs: number): void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  let sent = 0;
  const timer = setInterval(() => {
    response.write(chunk);
    sent += 1;
    if (sent < chunks) return;
    clearInterval(timer);
    response.end(tail);
  }, paceMs);
  response.on("close", () => clearInterval(timer));
}

const bulkChunk = frame({ content: "x".repeat(4_000) });
const BULK_CHUNKS = 2_000;

/** About 8 MiB, sent as fast as the client reads; for the slow readers of the soak. */
function bulkStream(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  let sent = 0;
  const fill = (): void => {
    while (sent < BULK_CHUNKS) {
      sent += 1;
      if (!response.write(bulkChunk)) return void response.once("drain", fill);
    }
    response.end(tail);
  };
  fill();
}

/** "stream": true as JavaScript and Go write it, and as Python does. */
const streamMarks = ['"stream":true', '"stream": true'];

/** A prepared answer of the kind that is asked for. */
export function sendAnswer(
  response: ServerResponse,
  { isStream, isBulk, isBrief = false }: { isStream: boolean; isBulk: boolean; isBrief?: boolean },
): void {
  if (isBulk) bulkStream(response);
  else if (isStream && isBrief) stream(response, BRIEF_CHUNKS, BRIEF_PACE_MS);
  else if (isStream) stream(response, CHUNKS, PACE_MS);
  else {
    response.writeHead(200, { "content-type": "application/json", "content-length": answer.length });
    response.end(answer);
  }
}

/**
 * Answers at minimal cost: prepared bytes, and no parsing beyond a search for what asks for a stream, for "bench-bulk" and for
 * BRIEF_MARK. Any key, path and model will do.
 */
export function answerAsUpstream(request: IncomingMessage, response: ServerResponse): void {
  let isStream = false;
  let isBulk = false;
  let isBrief = false;
  request.on("data", (part: Buffer) => {
    isStream ||= streamMarks.some((mark) => part.includes(mark));
    isBulk ||= part.includes('"bench-bulk"');
    isBrief ||= part.includes(BRIEF_MARK);
  });
  request.on("end", () => sendAnswer(response, { isStream, isBulk, isBrief }));
}
