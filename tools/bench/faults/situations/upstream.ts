import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

/** How long what takes time takes, in ms. */
export type Pace = {
  retryAfterMs: number;
  slowTokenMs: number;
  stallMs: number;
  silenceMs: number;
  downMs: number;
  tokenMs: number;
  /** Allowed beyond a limit of time. */
  slackMs: number;
};

/** Those of FailoverBench's published runs. */
export const fullPace: Pace = {
  retryAfterMs: 2_000,
  slowTokenMs: 20_000,
  stallMs: 30_000,
  silenceMs: 120_000,
  downMs: 60_000,
  tokenMs: 15,
  slackMs: 0,
};

export const quickPace: Pace = {
  retryAfterMs: 1_000,
  slowTokenMs: 6_000,
  stallMs: 8_000,
  silenceMs: 15_000,
  downMs: 2_500,
  tokenMs: 1,
  slackMs: 15_000,
};

/** Sixty words, the same from every model that is well. */
export const ANSWER =
  "A gateway earns trust on the day that its upstream fails: it waits when it is asked to wait, turns to another " +
  "when that is quicker, never says a word twice, never leaves one out, tells when nobody can answer, " +
  "charges for what arrived and for nothing else, and goes back to its first choice soon after that has recovered.";
const WORDS = ANSWER.split(" ");
const CUT_AFTER = 40;
const STALL_AFTER = 20;
const MALFORMED_AT = 10;

/** One request, as the upstream saw it. */
export type Seen = { atMs: number; status: number; isPrefillRefused: boolean };

export type Asked = { request: IncomingMessage; response: ServerResponse; body: Body; nth: number; sinceMs: number };
type Body = {
  model?: string;
  messages?: { role?: string; content?: unknown }[];
  stream_options?: { include_usage?: boolean };
};

/** What an upstream does with a request. Returns the status that counts for it. */
export type Behaviour = (asked: Asked, pace: Pace) => Promise<number> | number;

export type Upstream = { url: string; seen: Seen[]; close: () => Promise<void> };

/** An upstream of OpenAI's format with a port of its own. */
export async function startUpstream(behaviour: Behaviour, pace: Pace): Promise<Upstream> {
  const seen: Seen[] = [];
  let begunAt: number | null = null;
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = JSON.parse(Buffer.concat(parts).toString("utf8")) as Body;
    const now = performance.now();
    begunAt ??= now;
    const one: Seen = { atMs: now - begunAt, status: 0, isPrefillRefused: false };
    seen.push(one);
    one.status = await behaviour({ request, response, body, nth: seen.length, sinceMs: one.atMs }, pace);
    one.isPrefillRefused = one.status === PREFILL_REFUSED;
  };
  const server = createServer((request, response) => {
    response.on("error", () => {});
    serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

/** Stands for a 400 about a last message of the assistant. */
const PREFILL_REFUSED = 4_000;

type Refusal = { message: string; type: string; code: string | null };

export function refuse(
  { response }: Asked,
  status: number,
  { message, type, code }: Refusal,
  headers: Record<string, string> = {},
): number {
  const text = JSON.stringify({ error: { message, type, param: null, code } });
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(text);
  return status;
}

/** How a stream differs from a good one. */
type Flaw = "none" | "slow" | "cut" | "stall" | "malformed" | "no end mark";

function saidBefore({ messages }: Body): string {
  const last = messages?.at(-1);
  const said = last?.role === "assistant" && typeof last.content === "string" ? last.content : "";
  return ANSWER.startsWith(said) ? said : "";
}

/** Streams the answer, or the rest of it where the request has its beginning. */
export async function answer(asked: Asked, pace: Pace, flaw: Flaw = "none"): Promise<number> {
  const { request, response, body } = asked;
  const head = { id: "chatcmpl-s", object: "chat.completion.chunk", created: 1_700_000_000, model: body.model };
  const send = (rest: object) => response.write(`data: ${JSON.stringify({ ...head, ...rest })}\n\n`);
  const say = (delta: object, finish: string | null = null) =>
    send({ choices: [{ index: 0, delta, finish_reason: finish }] });
  response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
  if (flaw === "slow") await delay(pace.slowTokenMs, undefined, { ref: false });
  const said = saidBefore(body);
  const pieces = said === "" ? WORDS.map((word, at) => (at === 0 ? word : ` ${word}`)) : [ANSWER.slice(said.length)];
  say({ role: "assistant", content: "" });
  for (const [at, content] of pieces.entries()) {
    if (flaw === "cut" && at === CUT_AFTER) {
      request.socket.destroy();
      return 200;
    }
    if (flaw === "stall" && at === STALL_AFTER) {
      await delay(pace.stallMs, undefined, { ref: false });
      request.socket.destroy();
      return 200;
    }
    if (flaw === "malformed" && at === MALFORMED_AT) response.write('data: {"choices":[{"delta":{"content":\n\n');
    say({ content });
    await delay(pace.tokenMs);
  }
  say({}, "stop");
  const usage = { prompt_tokens: 21, completion_tokens: pieces.length, total_tokens: 21 + pieces.length };
  if (body.stream_options?.include_usage) send({ choices: [], usage });
  if (flaw !== "no end mark") response.write("data: [DONE]\n\n");
  response.end();
  return 200;
}

export function answerWithoutPrefill(asked: Asked, pace: Pace): Promise<number> | number {
  if (asked.body.messages?.at(-1)?.role !== "assistant") return answer(asked, pace);
  const message =
    "This model does not support assistant message prefill. The conversation must end with a user message.";
  refuse(asked, 400, { message, type: "invalid_request_error", code: "invalid_prefill" });
  return PREFILL_REFUSED;
}
