import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chatBody, setUpRelay } from "../harness";
import { startHttpProxy, startSocksProxy, type TestProxy } from "../proxies";
import type { ChannelValues } from "../seed";

const relay = setUpRelay({ prices: Array.from({ length: 30 }, (_, i) => `m${i + 1}`).join(",") });
let key: string;
let user: number;
/** An upstream that returns reasoning and fields of its own. */
let thinker: Server;
let thinkerUrl: string;
let httpProxy: TestProxy;
let socksProxy: TestProxy;
let models = 0;

const USAGE = { prompt_tokens: 12, completion_tokens: 9, total_tokens: 21 };

beforeAll(async () => {
  thinker = createServer((request, response) => {
    request.resume().on("end", () => {
      const isStream = request.headers.accept === "text/event-stream";
      if (!isStream) {
        const message = { role: "assistant", reasoning_content: "hm", content: "yes", vendor: 1 };
        response.setHeader("content-type", "application/json");
        response.end(
          JSON.stringify({
            id: "1",
            model: "up",
            vendor: 2,
            choices: [{ index: 0, message, finish_reason: "stop" }],
            usage: USAGE,
          }),
        );
        return;
      }
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const delta of [{ reasoning_content: "h" }, { reasoning_content: "m" }, { content: "yes" }]) {
        response.write(`data: ${JSON.stringify({ id: "1", vendor: 2, choices: [{ index: 0, delta }] })}\n\n`);
      }
      response.write(
        `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }], usage: USAGE })}\n\n`,
      );
      response.end("data: [DONE]\n\n");
    });
  });
  await new Promise<void>((done) => thinker.listen(0, "127.0.0.1", done));
  thinkerUrl = `http://127.0.0.1:${(thinker.address() as AddressInfo).port}`;
  [httpProxy, socksProxy] = await Promise.all([startHttpProxy("user:p@ss"), startSocksProxy("user", "p@ss")]);
  const caller = await relay.addCaller();
  user = caller.user;
  key = caller.token.key;
});
afterAll(() => {
  thinker.closeAllConnections();
  thinker.close();
  httpProxy.close();
  socksProxy.close();
});

/** Creates a channel for a new model, which the upstream knows as `upstreamModel`. */
async function channelWith(setting: object, values: ChannelValues = {}, upstreamModel = "fake-gpt") {
  const model = `m${++models}`;
  const mapping = JSON.stringify({ [model]: "step", step: upstreamModel });
  await relay.addChannel({ models: model, modelMapping: mapping, setting: JSON.stringify(setting), ...values });
  await relay.inForce();
  return model;
}

const lastBody = () => relay.upstream.requests.at(-1)?.body ?? {};
const frames = (text: string): ReturnType<typeof JSON.parse>[] =>
  text
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => JSON.parse(line.slice(6)));

describe("what a channel's setting does to answers", () => {
  test("thinking_to_content moves thoughts into the text, and what is charged is the upstream's usage", async () => {
    const model = await channelWith({ thinking_to_content: true }, { baseUrl: thinkerUrl });
    const whole = await relay.post(key, chatBody(model));
    expect(JSON.parse(whole.text).choices[0].message).toMatchObject({ content: "<think>\nhm\n</think>\nyes" });
    const streamed = await relay.post(key, chatBody(model, { stream: true }));
    const text = frames(streamed.text)
      .map((frame) => frame.choices[0]?.delta.content ?? "")
      .join("");
    expect(text).toBe("<think>\nhm\n</think>\nyes");
    expect(streamed.text.endsWith("data: [DONE]\n\n")).toBe(true);
    const rows = (await relay.logsOf(user)).filter((row) => row.model === model);
    expect(rows.map((row) => [row.prompt, row.completion, row.quota])).toEqual([
      [12, 9, 30],
      [12, 9, 30],
    ]);
  });

  test("force_format leaves only OpenAI's own fields", async () => {
    const model = await channelWith({ force_format: true }, { baseUrl: thinkerUrl });
    const whole = JSON.parse((await relay.post(key, chatBody(model))).text);
    expect(Object.keys(whole).sort()).toEqual(["choices", "created", "id", "model", "object", "usage"]);
    const streamed = frames((await relay.post(key, chatBody(model, { stream: true }))).text);
    for (const frame of streamed) {
      expect(frame).not.toHaveProperty("vendor");
      expect(frame.object).toBe("chat.completion.chunk");
    }
  });
});

describe("what a channel's setting does to requests", () => {
  test("a system prompt is added where there is none, and put in front of one where it may override", async () => {
    const own = [
      { role: "system", content: "Own" },
      { role: "user", content: "hi" },
    ];
    const added = await channelWith({ system_prompt: "Be kind" });
    await relay.post(key, chatBody(added));
    expect(lastBody().messages).toEqual([
      { role: "system", content: "Be kind" },
      { role: "user", content: "Say hello" },
    ]);
    await relay.post(key, JSON.stringify({ model: added, messages: own }));
    expect(lastBody().messages).toEqual(own);
    const overriding = await channelWith({ system_prompt: "Be kind", system_prompt_override: true });
    await relay.post(key, JSON.stringify({ model: overriding, messages: own }));
    expect((lastBody().messages as unknown[])[0]).toEqual({ role: "system", content: "Be kind\nOwn" });
  });

  test("a body that is to pass through is not touched: no mapping, no override, no added fields", async () => {
    const values = { paramOverride: '{"temperature":0}' };
    const model = await channelWith({ pass_through_body_enabled: true, system_prompt: "x" }, values);
    await relay.post(key, chatBody(model, { stream: true, odd: 1 }));
    expect(lastBody()).toEqual({ ...JSON.parse(chatBody(model)), stream: true, odd: 1 });
    const plain = await channelWith({}, values);
    await relay.setOption("global.pass_through_request_enabled", "true");
    await relay.inForce();
    await relay.post(key, chatBody(plain));
    expect(lastBody()).toEqual(JSON.parse(chatBody(plain)));
    await relay.setOption("global.pass_through_request_enabled", "false");
    await relay.inForce();
    await relay.post(key, chatBody(plain));
    expect(lastBody()).toMatchObject({ model: "fake-gpt", temperature: 0 });
  });

  test("an override's operations change the body; the mapping is a chain; the log keeps the asked name (B315)", async () => {
    const operations = [
      { mode: "set", path: "seed", value: 7, conditions: [{ path: "model", mode: "prefix", value: "fake" }] },
      { mode: "delete", path: "user" },
    ];
    const model = await channelWith({}, { paramOverride: JSON.stringify({ operations }) });
    await relay.post(key, chatBody(model, { user: "someone" }));
    expect(lastBody()).toMatchObject({ model: "fake-gpt", seed: 7 });
    expect(lastBody()).not.toHaveProperty("user");
    const row = (await relay.logsOf(user)).at(-1);
    expect(row).toMatchObject({ model, other: { is_model_mapped: true, upstream_model_name: "fake-gpt" } });
  });

  test("Mistral gets only the fields that it knows, under its own names", async () => {
    const model = await channelWith({}, { type: 42 });
    await relay.post(key, chatBody(model, { seed: 3, user: "u", logit_bias: {}, max_completion_tokens: 5 }));
    expect(lastBody()).toEqual({
      model: "fake-gpt",
      messages: [{ role: "user", content: "Say hello" }],
      random_seed: 3,
      max_tokens: 5,
    });
  });

  test("Ollama fetches no pictures, and neither do we from a private network: nothing is sent or charged", async () => {
    const model = await channelWith({}, { type: 4 });
    const before = relay.upstream.requests.length;
    const content = [{ type: "image_url", image_url: { url: `${thinkerUrl}/cat.png` } }];
    const answer = await relay.post(key, JSON.stringify({ model, messages: [{ role: "user", content }] }));
    expect([answer.status, answer.wire.error.code]).toEqual([400, "invalid_image_url"]);
    expect(relay.upstream.requests).toHaveLength(before);
    expect((await relay.logsOf(user)).filter((row) => row.model === model)).toEqual([]);
  });
});

describe("a channel's proxy", () => {
  const target = (): string => new URL(relay.upstream.url).host;

  test("requests go through an HTTP proxy that wants a password", async () => {
    const model = await channelWith({ proxy: `http://user:p%40ss@127.0.0.1:${httpProxy.port}` });
    expect((await relay.post(key, chatBody(model))).status).toBe(200);
    expect((await relay.post(key, chatBody(model, { stream: true }))).text).toContain("[DONE]");
    expect(new Set(httpProxy.seen)).toEqual(new Set([target()]));
  });

  test("requests go through a SOCKS5 proxy that wants a password", async () => {
    const model = await channelWith({ proxy: `socks5://user:p%40ss@127.0.0.1:${socksProxy.port}` });
    expect((await relay.post(key, chatBody(model))).status).toBe(200);
    expect((await relay.post(key, chatBody(model, { stream: true }))).text).toContain("[DONE]");
    expect(new Set(socksProxy.seen)).toEqual(new Set([target()]));
  });

  test.each([
    ["wrong password", () => `socks5://user:wrong@127.0.0.1:${socksProxy.port}`],
    ["nobody there", () => "socks5://127.0.0.1:1"],
    ["not an address", () => "proxy.example"],
  ])("a proxy that cannot be used never means going around it: %s", async (_name, proxy) => {
    const before = relay.upstream.requests.length;
    const model = await channelWith({ proxy: proxy() });
    expect((await relay.post(key, chatBody(model))).status).toBeGreaterThanOrEqual(500);
    expect(relay.upstream.requests).toHaveLength(before);
  });
});
