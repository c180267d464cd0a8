// Who: callers that compress their bodies, and upstreams that word errors in their own way, send events nobody asked for, or compress.
// What must hold: what can be read is read, within the bounds of every body; the reason of a refusal reaches the caller and the log, masked.
// zstd of Node: https://nodejs.org/api/zlib.html (22.15 and 23.8). FastAPI's detail: https://fastapi.tiangolo.com/tutorial/handling-errors/.
import zlib, { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { until } from "@/lib/testing/until";
import { chatBody, setUpRelay } from "../relay/harness";
import { ask, CALLERS, startRawUpstream } from "./raw-upstream";

const KEY = "sk-upstream-0123456789abcdef";
const MODELS = { chat: CHANNEL_TYPE.openai, messages: CHANNEL_TYPE.anthropic, gemini: CHANNEL_TYPE.gemini };
const relay = setUpRelay({
  prices: Object.keys(MODELS)
    .map((name) => `b-${name}`)
    .join(","),
});
let upstream: Awaited<ReturnType<typeof startRawUpstream>>;
beforeAll(async () => {
  upstream = await startRawUpstream();
  for (const [name, type] of Object.entries(MODELS)) {
    await relay.addChannel({ baseUrl: upstream.url, models: `b-${name}`, type, key: KEY });
  }
  await relay.inForce();
});
afterAll(() => upstream.close());

const whole = {
  id: "c",
  choices: [{ index: 0, message: { role: "assistant", content: "yes" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
};
const SAYS = `The field temperature is out of range for ${KEY}`;
const shapes: Record<string, unknown> = {
  "FastAPI's detail": { detail: [{ type: "x", loc: ["body", "temperature"], msg: SAYS }] },
  "a detail of text": { detail: SAYS },
  "a detail with a message": { detail: { message: SAYS } },
  "an object as the message": { error: { message: { detail: SAYS }, type: "invalid_request_error" } },
  "a list as the message": { error: { message: [{ msg: SAYS }] } },
  "JSON in the message": { error: { message: JSON.stringify({ error: { message: SAYS } }) } },
  "a message alone": { message: SAYS },
  "a list of errors": { errors: [{ message: SAYS }] },
  "a list of texts": { errors: [SAYS] },
  "an object of errors": { errors: { message: SAYS } },
  "a list": [{ message: SAYS }],
  "a text in JSON": SAYS,
  "an error of text": { error: SAYS },
  "an error with details": { error: { details: [{ description: SAYS }] } },
  "plain text": Buffer.from(SAYS),
  "a page": Buffer.from(`<!DOCTYPE html><html><head><title>${SAYS}</title></head><body>no</body></html>`),
  "an event": Buffer.from(`data: ${JSON.stringify({ error: { message: SAYS } })}\n\n`),
};

describe.each(Object.entries(shapes))("an error as %s", (_, shape) => {
  test.each(Object.keys(MODELS))("tells its reason to callers and to the log (b-%s)", async (name) => {
    const body = Buffer.isBuffer(shape) ? shape : JSON.stringify(shape);
    upstream.answer(() => ({ status: 422, headers: { "content-type": "text/plain" }, body }));
    const { user, token } = await relay.addCaller();
    const { text, status } = await ask({ url: relay.url, key: token.key }, "openai-chat", `b-${name}`, false);
    expect(status).toBe(422);
    expect(text).toContain("The field temperature is out of range");
    expect(text).not.toContain(KEY);
    await until(async () => (await relay.logsOf(user)).length === 1);
    const row = JSON.stringify((await relay.logsOf(user))[0]);
    expect(row).toContain("The field temperature is out of range");
    expect(row).not.toContain(KEY);
  });
});

const chunk = (delta: object, reason: string | null = null): string =>
  `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`;
const events: Record<string, string> = {
  chat: `${chunk({ role: "assistant", content: "ye" })}${chunk({ content: "s" })}${chunk({}, "stop")}data: ${JSON.stringify({ choices: [], usage: whole.usage })}\n\ndata: [DONE]\n\n`,
  messages: [
    ["message_start", { message: { id: "m", model: "m", usage: { input_tokens: 3, output_tokens: 0 } } }],
    ["content_block_start", { index: 0, content_block: { type: "text", text: "" } }],
    ["content_block_delta", { index: 0, delta: { type: "text_delta", text: "yes" } }],
    ["message_delta", { delta: { stop_reason: "end_turn" }, usage: { output_tokens: 1 } }],
    ["message_stop", {}],
  ]
    .map(([type, rest]) => `event: ${type}\ndata: ${JSON.stringify({ type, ...(rest as object) })}\n\n`)
    .join(""),
  gemini: `data: ${JSON.stringify({ candidates: [{ content: { role: "model", parts: [{ text: "yes" }] }, finishReason: "STOP", index: 0 }], usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 1, totalTokenCount: 4 } })}\n\n`,
};

describe.each(Object.keys(MODELS))("events as the answer to a plain request of b-%s", (name) => {
  test.each(CALLERS)("are put together for %s, and charged", async (caller) => {
    upstream.answer(() => ({ headers: { "content-type": "text/event-stream" }, body: events[name] ?? "" }));
    const { user, token } = await relay.addCaller();
    const { status, text } = await ask({ url: relay.url, key: token.key }, caller, `b-${name}`, false);
    expect([status, status === 200 ? "" : text]).toEqual([200, ""]);
    expect(JSON.stringify(JSON.parse(text))).toContain('"yes"');
    await until(async () => (await relay.logsOf(user)).length === 1);
    expect((await relay.logsOf(user))[0]).toMatchObject({ prompt: 3, completion: 1, quota: 5 });
  });
});

/** More than is always allowed, and out of all proportion to what it is sent as. */
const BOMB_BYTES = 8 * 1_048_576;

const encodings: Record<string, (bytes: Buffer) => Buffer> = {
  gzip: gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
};

describe.each(Object.entries(encodings))("an answer in %s", (encoding, compress) => {
  test.each([false, true])("is read although none was asked for (streamed: %s)", async (stream) => {
    const body = compress(Buffer.from(stream ? (events.chat ?? "") : JSON.stringify(whole)));
    upstream.answer(() => ({
      headers: { "content-encoding": encoding, "content-type": stream ? "text/event-stream" : "application/json" },
      body,
    }));
    const { token } = await relay.addCaller();
    for (const caller of CALLERS) {
      const { status, text } = await ask({ url: relay.url, key: token.key }, caller, "b-chat", stream);
      expect([caller, status]).toEqual([caller, 200]);
      expect(text).toMatch(/"yes"|"ye"/);
    }
    expect(upstream.seen.every(({ headers }) => headers["accept-encoding"] === "identity")).toBe(true);
  });

  test("that expands beyond all bounds is a failure, and an error in it is read", async () => {
    const { token } = await relay.addCaller();
    upstream.answer(() => ({
      headers: { "content-encoding": encoding },
      body: compress(Buffer.alloc(BOMB_BYTES, " ")),
    }));
    expect(
      (await ask({ url: relay.url, key: token.key }, "openai-chat", "b-chat", false)).status,
    ).toBeGreaterThanOrEqual(500);
    upstream.answer(() => ({
      status: 422,
      headers: { "content-encoding": encoding },
      body: compress(Buffer.from('{"error":{"message":"too warm"}}')),
    }));
    expect((await ask({ url: relay.url, key: token.key }, "openai-chat", "b-chat", false)).text).toContain("too warm");
  });
});

test("a body in zstd is read, or refused in words that name the version that reads it", async () => {
  upstream.answer(() => ({ body: JSON.stringify(whole) }));
  const { token } = await relay.addCaller();
  const compress: unknown = Reflect.get(zlib, "zstdCompressSync");
  const body = Buffer.from(chatBody("b-chat"));
  const sent = typeof compress === "function" ? (compress(body) as Buffer) : Buffer.from("KLUv/QQA", "base64");
  const answer = await relay.post(token.key, sent, { "content-encoding": "zstd" });
  if (typeof compress === "function") {
    expect(answer.status).toBe(200);
    const bomb = compress(Buffer.alloc(BOMB_BYTES, " ")) as Buffer;
    expect((await relay.post(token.key, bomb, { "content-encoding": "zstd" })).status).toBe(413);
  } else {
    expect(answer.status).toBe(415);
    expect(answer.wire.error.message).toContain("22.15");
  }
});
