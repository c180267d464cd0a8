import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { setUpRelay } from "../harness";

type Case = { path: string; type: number; body: object; contentType: string; answer: string };

const messages = [{ role: "user", content: "Größe?" }];
const openaiChunk = (rest: object) => `data: ${JSON.stringify({ id: "c", unknown: [1, { a: "é" }], ...rest })}\n\n`;
const claudeEvent = (type: string, rest: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;

/** Answers with odd spacing, unknown fields and multi-byte characters, which a parser would write differently. */
const cases: Record<string, Case> = {
  "chat completions": {
    path: "/v1/chat/completions",
    type: CHANNEL_TYPE.openai,
    body: { model: "same", messages, seed: 1.0, unknown: { kept: true } },
    contentType: "application/json; charset=utf-8",
    answer:
      '{ "choices" : [{"message":{"content":"größe \\u6c34","x":1e2},"finish_reason":"stop"}],\n "usage":{"prompt_tokens":3,"completion_tokens":2} , "extra":[ ] }',
  },
  "streamed chat completions": {
    path: "/v1/chat/completions",
    type: CHANNEL_TYPE.openai,
    body: { model: "same", messages, stream: true, stream_options: { include_usage: true } },
    contentType: "text/event-stream",
    answer:
      openaiChunk({ choices: [{ delta: { role: "assistant" } }] }) +
      ": a comment\n\n" +
      openaiChunk({ choices: [{ delta: { content: "größe 水" } }] }) +
      openaiChunk({ choices: [{ delta: {}, finish_reason: "stop" }] }) +
      openaiChunk({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } }) +
      "data: [DONE]\n\n",
  },
  messages: {
    path: "/v1/messages",
    type: CHANNEL_TYPE.anthropic,
    body: { model: "same", max_tokens: 9, messages, unknown: { kept: true } },
    contentType: "application/json",
    answer:
      '{"type":"message", "content":[{"type":"text","text":"größe","y":null}],\n"stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":2}, "z" : 1.50}',
  },
  "streamed messages": {
    path: "/v1/messages",
    type: CHANNEL_TYPE.anthropic,
    body: { model: "same", max_tokens: 9, messages, stream: true },
    contentType: "text/event-stream; charset=utf-8",
    answer:
      claudeEvent("message_start", { message: { id: "m", usage: { input_tokens: 3, output_tokens: 1 } } }) +
      claudeEvent("ping", {}) +
      claudeEvent("content_block_start", { index: 0, content_block: { type: "text", text: "" } }) +
      claudeEvent("content_block_delta", { index: 0, delta: { type: "text_delta", text: "größe 水" } }) +
      claudeEvent("content_block_stop", { index: 0 }) +
      claudeEvent("message_delta", { delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } }) +
      'event: message_stop\ndata: {"type":"message_stop"   ,"metrics":{"a":1}}\n\n',
  },
};

const relay = setUpRelay({ prices: "same" });
const received: string[] = [];
let upstream: Server;
let current: Case;
/** Bytes per write of the upstream. */
let piece = 0;

beforeAll(async () => {
  upstream = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    received.push(Buffer.concat(parts).toString("utf8"));
    response.writeHead(200, { "content-type": current.contentType });
    const bytes = Buffer.from(current.answer);
    for (let at = 0; at < bytes.length; at += piece) {
      response.write(bytes.subarray(at, at + piece));
      await new Promise((done) => setImmediate(done));
    }
    response.end();
  });
  await new Promise<void>((done) => upstream.listen(0, "127.0.0.1", done));
});
afterAll(async () => {
  upstream.closeAllConnections();
  await new Promise((done) => upstream.close(done));
});

describe.each(Object.entries(cases))("%s between a caller and an upstream of the same dialect", (_name, one) => {
  test.each([1, 7, 65_536])("pass byte for byte in both directions, in pieces of %i bytes", async (size) => {
    current = one;
    piece = size;
    await relay.reset();
    const baseUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    await relay.addChannel({ type: one.type, baseUrl, models: "same" });
    await relay.inForce();
    const { user, token } = await relay.addCaller();
    const sent = JSON.stringify(one.body, null, 1);
    const answer = await fetch(`${relay.url}${one.path}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token.key}`, "x-api-key": token.key },
      body: sent,
    });
    expect(await answer.text()).toBe(one.answer);
    expect(answer.headers.get("content-type")).toContain(one.contentType.split(";")[0] ?? "");
    expect(received.at(-1)).toBe(sent);
    expect(await relay.logsOf(user)).toMatchObject([{ type: 2, prompt: 3, completion: 2, quota: 7 }]);
  });
});
