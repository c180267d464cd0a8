import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { type RawAsked, startRawUpstream } from "../../attacks/raw-upstream";
import { setUpRelay, until } from "../harness";

// What a model drew is a text in Markdown in every dialect but Google's. Callers send it back to whichever model they ask next.

type Json = Record<string, unknown>;

/** As large as pictures are: as text they would be hundreds of thousands of tokens. */
const PICTURE = `iVBORw0KGgo${"A".repeat(400_001)}`;
const SAID = `A heron: ![image](data:image/png;base64,${PICTURE}) Well?`;
const MODELS = ["h-chat", "h-messages", "h-responses", "h-google", "h-passed"];
const relay = setUpRelay({ prices: MODELS.join(","), options: { UnseenDrainSeconds: "0" } });
let upstream: Awaited<ReturnType<typeof startRawUpstream>>;

const usage = { prompt_tokens: 700, completion_tokens: 3, total_tokens: 703 };
const answers: Record<string, (asked: RawAsked) => Json> = {
  chat: () => ({
    id: "c",
    choices: [{ index: 0, message: { role: "assistant", content: "yes" }, finish_reason: "stop" }],
    usage,
  }),
  messages: () => ({
    ...{ id: "m", type: "message", role: "assistant", content: [{ type: "text", text: "yes" }] },
    ...{ stop_reason: "end_turn", usage: { input_tokens: 700, output_tokens: 3 } },
  }),
  responses: () => ({
    ...{ id: "resp_1", object: "response", status: "completed" },
    output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "yes", annotations: [] }] }],
    usage: { input_tokens: 700, output_tokens: 3, total_tokens: 703 },
  }),
};

const drawn = {
  candidates: [
    {
      content: {
        role: "model",
        parts: [{ text: "A heron: " }, { inlineData: { mimeType: "image/png", data: PICTURE } }],
      },
      index: 0,
    },
  ],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 1_300, totalTokenCount: 1_310 },
};
const ended = { candidates: [{ content: { role: "model", parts: [] }, finishReason: "STOP", index: 0 }] };
const event = (json: Json) => `data: ${JSON.stringify(json)}\r\n\r\n`;

beforeAll(async () => {
  upstream = await startRawUpstream();
  upstream.answer((asked) => {
    if (asked.path.includes("streamGenerate")) {
      const rest = event({ ...ended, usageMetadata: drawn.usageMetadata });
      return { headers: { "content-type": "text/event-stream" }, body: event(drawn), rest };
    }
    const kind = asked.path.includes("messages") ? "messages" : asked.path.includes("responses") ? "responses" : "chat";
    return { body: JSON.stringify(answers[kind]?.(asked)) };
  });
  const baseUrl = upstream.url;
  await relay.addChannel({ type: CHANNEL_TYPE.openai, baseUrl, models: "h-chat" });
  await relay.addChannel({
    type: CHANNEL_TYPE.openai,
    baseUrl,
    models: "h-passed",
    setting: '{"pass_through_body_enabled":true}',
  });
  await relay.addChannel({ type: CHANNEL_TYPE.anthropic, baseUrl, models: "h-messages" });
  await relay.addChannel({
    type: CHANNEL_TYPE.openai,
    baseUrl,
    models: "h-responses",
    setting: '{"speaks_responses":true}',
  });
  await relay.addChannel({ type: CHANNEL_TYPE.gemini, baseUrl, models: "h-google" });
  await relay.inForce();
});
afterAll(() => upstream.close());

const user = (content: unknown) => ({ role: "user", content });
const call = { id: "call_1", type: "function", function: { name: "f", arguments: "{}" } };
const url = `data:image/png;base64,${PICTURE}`;
/** Requests of each dialect with it, and the parts in which the picture has to be there. */
const HISTORIES: Readonly<Record<string, [path: string, body: Json, model: string, part: Json]>> = {
  "chat, as text": [
    "/v1/chat/completions",
    { messages: [user("a"), { role: "assistant", content: SAID }, user("b")] },
    "h-chat",
    { type: "image_url", image_url: { url } },
  ],
  "chat, in parts": [
    "/v1/chat/completions",
    {
      messages: [
        user("a"),
        { role: "assistant", content: [{ type: "text", text: SAID }] },
        user([{ type: "text", text: "b" }]),
      ],
    },
    "h-chat",
    { type: "image_url", image_url: { url } },
  ],
  "chat, before a call": [
    "/v1/chat/completions",
    {
      messages: [
        user("a"),
        { role: "assistant", content: SAID, tool_calls: [call] },
        { role: "tool", tool_call_id: "call_1", content: "1" },
      ],
      tools: [{ type: "function", function: { name: "f" } }],
    },
    "h-chat",
    { type: "image_url", image_url: { url } },
  ],
  "chat, with a body that is passed through": [
    "/v1/chat/completions",
    { messages: [user("a"), { role: "assistant", content: SAID }, user("b")] },
    "h-passed",
    { type: "image_url", image_url: { url } },
  ],
  messages: [
    "/v1/messages",
    { max_tokens: 99, messages: [user("a"), { role: "assistant", content: SAID }, user("b")] },
    "h-messages",
    { type: "image", source: { type: "base64", media_type: "image/png", data: PICTURE } },
  ],
  "messages, before a result": [
    "/v1/messages",
    {
      max_tokens: 99,
      messages: [
        user("a"),
        {
          role: "assistant",
          content: [
            { type: "text", text: SAID },
            { type: "tool_use", id: "t1", name: "f", input: {} },
          ],
        },
        user([{ type: "tool_result", tool_use_id: "t1", content: "1" }]),
      ],
    },
    "h-messages",
    { type: "image", source: { type: "base64", media_type: "image/png", data: PICTURE } },
  ],
  responses: [
    "/v1/responses",
    {
      input: [
        user("a"),
        { type: "message", role: "assistant", content: [{ type: "output_text", text: SAID, annotations: [] }] },
        user("b"),
      ],
    },
    "h-responses",
    { type: "input_image", image_url: url, detail: "auto" },
  ],
};

async function send(path: string, body: Json, balance: number) {
  const { user: id, token } = await relay.addCaller({ balance });
  const headers = { "content-type": "application/json", authorization: `Bearer ${token.key}` };
  const response = await fetch(relay.url + path, { method: "POST", headers, body: JSON.stringify(body) });
  return { id, response };
}

const partsOf = (body: Json): unknown[] =>
  ((body.messages ?? body.input) as { role: string; content: unknown }[])
    .filter(({ role }) => role === "user")
    .flatMap(({ content }) => (Array.isArray(content) ? content : [content]));

describe("a picture that a model drew, sent back to an upstream of the caller's own format", () => {
  test.each(Object.entries(HISTORIES))(
    "is a picture of the user there, and is reserved and charged as one: %s",
    async (_name, [path, given, model, part]) => {
      upstream.seen.length = 0;
      // As text it would be reserved as more than 130,000 tokens.
      const { id, response } = await send(path, { model, ...given }, 60_000);
      expect([response.status, response.ok ? "" : await response.text()]).toEqual([200, ""]);
      const { body = {}, text = "" } = upstream.seen[0] ?? {};
      expect(text).not.toContain("![image](data:");
      expect(text).toContain("A heron:");
      expect(text.split(PICTURE).length - 1).toBe(1);
      expect(partsOf(body)).toContainEqual(part);
      const first = partsOf(body).find((one) => (one as Json)?.type === "tool_result");
      if (first) expect(partsOf({ messages: (body.messages as Json[]).slice(-1) })[0]).toEqual(first);
      await response.text();
      expect((await relay.balanceOf(id)).used).toBe(700 + 2 * 3);
    },
  );
});

test("a picture that is streamed is charged by its usage, whatever the balance is and whoever leaves", async () => {
  const ask = (balance: number) =>
    send(
      "/v1/chat/completions",
      { model: "h-google", stream: true, max_tokens: 8_000, messages: [user("a")] },
      balance,
    );
  const whole = await ask(40_000);
  upstream.release();
  const text = await whole.response.text();
  expect(text).toContain(PICTURE);
  expect(text).toContain('"finish_reason":"stop"');
  expect((await relay.balanceOf(whole.id)).used).toBe(10 + 2 * 1_300);
  const left = await ask(10_000_000);
  const reader = left.response.body?.getReader();
  for (let read = ""; !read.includes("AAAA"); ) read += Buffer.from((await reader?.read())?.value ?? []).toString();
  await reader?.cancel();
  await until(async () => (await relay.logsOf(left.id)).length === 1, 20_000);
  upstream.release();
  expect((await relay.balanceOf(left.id)).used).toBeLessThan(10_000);
});

test("a drawn picture of another account that comes along is looked up nowhere", async () => {
  upstream.seen.length = 0;
  const item = { type: "image_generation_call", id: "ig_of_another", status: "completed", result: PICTURE };
  const { response } = await send(
    "/v1/responses",
    { model: "h-responses", input: [user("a"), item, user("b")] },
    60_000,
  );
  expect([response.status, response.ok ? "" : await response.text()]).toEqual([200, ""]);
  expect(upstream.seen[0]?.text).toContain(PICTURE);
});
