import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import Anthropic from "@anthropic-ai/sdk";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { type FakeAnthropic, startFakeAnthropic } from "@/lib/testing/fake-anthropic";
import { FAKE_AWS_KEY, type FakeBedrock, startFakeBedrock } from "@/lib/testing/fake-bedrock";
import { FAKE_WORKER_KEY, startFakeWorker } from "@/lib/testing/fake-worker";
import { setUpRelay } from "../harness";

const CLAUDE = ["claude-text", "claude-text-20250101", "claude-text-thinking", "claude-thinking-signature-thinking"];
const GEMINI = ["gemini-2.5-pro", "gemini-1.0-pro-001", "gemini-2.5-flash-thinking", "gemini-2.5-flash"];
const relay = setUpRelay({ prices: [...CLAUDE, ...GEMINI].join(",") });

const category = z.enum([
  "HARM_CATEGORY_HARASSMENT",
  "HARM_CATEGORY_HATE_SPEECH",
  "HARM_CATEGORY_SEXUALLY_EXPLICIT",
  "HARM_CATEGORY_DANGEROUS_CONTENT",
  "HARM_CATEGORY_CIVIC_INTEGRITY",
]);
const threshold = z.enum(["OFF", "BLOCK_NONE", "BLOCK_ONLY_HIGH", "BLOCK_MEDIUM_AND_ABOVE", "BLOCK_LOW_AND_ABOVE"]);
const googleBody = z.strictObject({
  contents: z.array(z.strictObject({ role: z.enum(["user", "model"]), parts: z.array(z.looseObject({})).min(1) })),
  safetySettings: z.array(z.strictObject({ category, threshold })).optional(),
  generationConfig: z
    .strictObject({
      maxOutputTokens: z.int().optional(),
      temperature: z.number().optional(),
      thinkingConfig: z.strictObject({ thinkingBudget: z.int(), includeThoughts: z.boolean() }).optional(),
    })
    .optional(),
});

type GoogleRequest = { url: string; body: z.output<typeof googleBody> };
const asked: GoogleRequest[] = [];
let google: Server;
let anthropic: FakeAnthropic;
let bedrock: FakeBedrock;
let key: string;
let user: number;

/** As strict as Google in what these options change; a body that it does not take is a 400. */
function startGoogle(): Server {
  return createServer(async (request, response) => {
    let text = "";
    for await (const part of request) text += String(part);
    const read = googleBody.safeParse(JSON.parse(text));
    response.writeHead(read.success ? 200 : 400, { "content-type": "application/json" });
    if (!read.success) return void response.end(JSON.stringify({ error: { code: 400, message: read.error.message } }));
    asked.push({ url: request.url ?? "", body: read.data });
    const content = { role: "model", parts: [{ text: "Hello." }] };
    const usageMetadata = { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 };
    response.end(JSON.stringify({ candidates: [{ content, finishReason: "STOP", index: 0 }], usageMetadata }));
  });
}

beforeAll(async () => {
  [anthropic, bedrock] = await Promise.all([startFakeAnthropic(), startFakeBedrock()]);
  google = startGoogle();
  await new Promise<void>((done) => google.listen(0, "127.0.0.1", () => done()));
});
afterAll(async () => {
  await Promise.all([anthropic.close(), bedrock.close()]);
  google.closeAllConnections();
  google.close();
});
beforeEach(async () => {
  await relay.reset();
  asked.length = 0;
  anthropic.requests.length = 0;
  bedrock.requests.length = 0;
  ({
    user,
    token: { key },
  } = await relay.addCaller());
  const address = `http://127.0.0.1:${(google.address() as AddressInfo).port}`;
  await relay.addChannel({ type: CHANNEL_TYPE.anthropic, models: CLAUDE.join(","), baseUrl: anthropic.url });
  await relay.addChannel({ type: CHANNEL_TYPE.gemini, models: GEMINI.join(","), baseUrl: address });
});

async function set(options: Record<string, unknown>): Promise<void> {
  for (const [name, value] of Object.entries(options)) await relay.setOption(name, value);
  await relay.inForce();
}

const messages = [{ role: "user" as const, content: "Hi" }];
const chat = (model: string, values: object = {}) =>
  relay.clientFor(key).chat.completions.create({ model, messages, ...values });
const claude = () => new Anthropic({ apiKey: key, authToken: null, baseURL: relay.url, maxRetries: 0 });

describe("Claude's options (contract §3.2, §6.3)", () => {
  test("a request without a limit gets that of its model, of its dated releases, or the default", async () => {
    await set({ "claude.default_max_tokens": { default: 3_000, "claude-text": 1_500 } });
    for (const model of ["claude-text", "claude-text-20250101"]) await chat(model);
    await set({ "claude.default_max_tokens": { default: 3_000 } });
    await chat("claude-text");
    await chat("claude-text", { max_tokens: 7 });
    expect(anthropic.requests.map(({ body }) => body?.max_tokens)).toEqual([1_500, 1_500, 3_000, 7]);
    expect(anthropic.requests.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  test("a balance that pays for less lowers the limit of the option too", async () => {
    await set({ "claude.default_max_tokens": { default: 1_000_000 } });
    const poor = await relay.addCaller({ balance: 500 });
    await relay.clientFor(poor.token.key).chat.completions.create({ model: "claude-text", messages });
    expect(anthropic.requests[0]?.body?.max_tokens).toBeLessThan(250);
  });

  test("names ending in -thinking give thinking the share that is set", async () => {
    await set({ "claude.thinking_adapter_budget_tokens_percentage": "0.5" });
    await chat("claude-text-thinking", { max_tokens: 10_000 });
    const thinking = { type: "enabled", budget_tokens: 5_000 };
    expect(anthropic.requests[0]).toMatchObject({ status: 200, body: { model: "claude-text", thinking } });
    await set({ "claude.thinking_adapter_budget_tokens_percentage": "0" });
    await chat("claude-text-thinking", { max_tokens: 2_000 });
    const least = { max_tokens: 2_000, thinking: { type: "enabled", budget_tokens: 1_024 } };
    expect(anthropic.requests[1]).toMatchObject({ status: 200, body: least });
  });

  test("with the adapter off such a name is a name, for Anthropic and on Bedrock", async () => {
    const models = "claude-thinking-signature-thinking";
    await relay.addChannel({
      type: CHANNEL_TYPE.bedrock,
      models,
      key: FAKE_AWS_KEY,
      baseUrl: bedrock.url,
      priority: 9,
    });
    await set({ "claude.thinking_adapter_enabled": "true", RetryTimes: 0 });
    await chat(models, { max_tokens: 5_000 });
    expect(bedrock.requests[0]?.url).toMatch(/claude-thinking-signature\/invoke$/);
    expect(bedrock.requests[0]).toMatchObject({ status: 200, body: { thinking: { type: "enabled" } } });
    await set({ "claude.thinking_adapter_enabled": "false" });
    await expect(chat("claude-text-thinking", { max_tokens: 5_000 })).rejects.toMatchObject({ status: 404 });
    expect(anthropic.requests.at(-1)?.body).toMatchObject({ model: "claude-text-thinking", max_tokens: 5_000 });
    expect(anthropic.requests.at(-1)?.body).not.toHaveProperty("thinking");
    await chat(models, { max_tokens: 5_000 }).catch(() => null);
    expect(bedrock.requests.at(-1)?.url).toMatch(/claude-thinking-signature-thinking\/invoke$/);
    expect(bedrock.requests.at(-1)?.body).not.toHaveProperty("thinking");
  });

  test("headers of a model are added to those that the caller sent, each value once; other models get none", async () => {
    await set({
      "claude.model_headers_settings": {
        "claude-text": { "Anthropic-Beta": ["one-2025", "two-2025"], "x-site": "weir" },
      },
      AllowedRequestOptions: "anthropic-beta",
    });
    const headers = { "anthropic-beta": "two-2025,own-2025" };
    await claude().messages.create({ model: "claude-text", max_tokens: 5, messages }, { headers });
    await chat("claude-text");
    await chat("claude-text-thinking");
    await set({ "claude.model_headers_settings": {} });
    await chat("claude-text");
    const sent = anthropic.requests.map(({ headers }) => [headers["anthropic-beta"], headers["x-site"]]);
    expect(sent).toEqual([
      ["two-2025,own-2025,one-2025", "weir"],
      ["one-2025,two-2025", "weir"],
      ["one-2025,two-2025", "weir"],
      [undefined, undefined],
    ]);
    expect(anthropic.requests.map(({ headers }) => headers["anthropic-version"])).not.toContainEqual(
      expect.stringContaining(","),
    );
  });
});

describe("Gemini's options (contract §3.2)", () => {
  const body = { contents: [{ role: "user", parts: [{ text: "Hi" }] }] };
  const native = (model: string, json: object) =>
    fetch(`${relay.url}/v1beta/models/${model}:generateContent`, {
      method: "POST",
      headers: { "x-goog-api-key": key, "content-type": "application/json" },
      body: JSON.stringify(json),
    });

  test("by default the thresholds and versions are those of the contract", async () => {
    await set({});
    await chat("gemini-2.5-pro");
    await chat("gemini-1.0-pro-001");
    expect(asked.map(({ url }) => url)).toEqual([
      "/v1beta/models/gemini-2.5-pro:generateContent",
      "/v1/models/gemini-1.0-pro-001:generateContent",
    ]);
    const of = (name: string, given: string) => ({ category: `HARM_CATEGORY_${name}`, threshold: given });
    expect(asked[0]?.body.safetySettings).toEqual([
      of("HARASSMENT", "OFF"),
      of("HATE_SPEECH", "OFF"),
      of("SEXUALLY_EXPLICIT", "OFF"),
      of("DANGEROUS_CONTENT", "OFF"),
      of("CIVIC_INTEGRITY", "BLOCK_NONE"),
    ]);
  });

  test("the thresholds that are set go to Google, and none for an empty setting", async () => {
    await set({ "gemini.safety_settings": { HARM_CATEGORY_HATE_SPEECH: "BLOCK_ONLY_HIGH" } });
    await chat("gemini-2.5-pro");
    await set({ "gemini.safety_settings": {} });
    await chat("gemini-2.5-pro");
    expect(asked.map((request) => request.body.safetySettings)).toEqual([
      [{ category: "HARM_CATEGORY_HATE_SPEECH", threshold: "BLOCK_ONLY_HIGH" }],
      undefined,
    ]);
  });

  test("a caller of Google's format says itself what it wants", async () => {
    await set({});
    const own = { ...body, safetySettings: [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_NONE" }] };
    expect([(await native("gemini-2.5-pro", body)).status, (await native("gemini-2.5-pro", own)).status]).toEqual([
      200, 200,
    ]);
    expect(asked.map((request) => request.body)).toEqual([body, own]);
  });

  test("a change of the versions holds for the next request", async () => {
    await set({ "gemini.version_settings": { default: "v1", "gemini-2.5-pro": "v1alpha" } });
    await chat("gemini-2.5-pro");
    await native("gemini-2.5-flash", body);
    await set({ "gemini.version_settings": {} });
    await chat("gemini-2.5-pro");
    expect(asked.map(({ url }) => url.split("/")[1])).toEqual(["v1alpha", "v1", "v1beta"]);
  });

  test("names ending in -thinking give thoughts a share of the limit; without one the model decides", async () => {
    await set({ "gemini.thinking_adapter_budget_tokens_percentage": "0.25" });
    await chat("gemini-2.5-flash-thinking", { max_tokens: 8_000 });
    await chat("gemini-2.5-flash-thinking");
    await set({ "gemini.thinking_adapter_enabled": "false" });
    await chat("gemini-2.5-flash-thinking", { max_tokens: 8_000 });
    expect(asked.map((request) => request.body.generationConfig?.thinkingConfig?.thinkingBudget)).toEqual([
      2_000,
      -1,
      undefined,
    ]);
    expect(asked.map(({ url }) => url)).toEqual([
      "/v1beta/models/gemini-2.5-flash:generateContent",
      "/v1beta/models/gemini-2.5-flash:generateContent",
      "/v1beta/models/gemini-2.5-flash-thinking:generateContent",
    ]);
  });
});

describe("the proxy worker", () => {
  const PICTURE = Buffer.from("R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==", "base64");
  const picture = (url: string) => ({
    messages: [{ role: "user" as const, content: [{ type: "image_url" as const, image_url: { url } }] }],
  });

  test("fetches pictures for upstreams that cannot", async () => {
    const worker = await startFakeWorker(
      async () => new Response(PICTURE, { headers: { "content-type": "image/gif" } }),
    );
    try {
      await set({ WorkerUrl: worker.url, WorkerValidKey: FAKE_WORKER_KEY });
      // Nothing answers there: this address is for documentation only.
      const url = "http://192.0.2.1/a.gif";
      await chat("gemini-2.5-pro", picture("https://pictures.example/a.gif"));
      expect(worker.requests.map((request) => [request.asked.method, request.asked.url])).toEqual([
        ["GET", "https://pictures.example/a.gif"],
      ]);
      const data = PICTURE.toString("base64");
      const parts = [{ inlineData: { mimeType: "image/gif", data } }];
      expect(asked[0]?.body.contents).toEqual([{ role: "user", parts }]);
      await expect(chat("gemini-2.5-pro", picture(url))).rejects.toMatchObject({ status: 400 });
      await expect(chat("gemini-2.5-pro", picture("http://127.0.0.1:1/a.gif"))).rejects.toMatchObject({ status: 400 });
      expect([worker.requests.length, asked.length]).toEqual([1, 1]);
    } finally {
      await worker.close();
    }
  });

  test("that is away is a clear error, without its address, and costs nothing", async () => {
    await set({ WorkerUrl: "http://127.0.0.1:1", WorkerValidKey: FAKE_WORKER_KEY });
    const refusal = await chat("gemini-2.5-pro", picture("https://pictures.example/a.gif")).catch(
      (error: Error) => error,
    );
    expect(refusal).toMatchObject({ status: 400, code: "invalid_image_url" });
    expect(String(refusal)).not.toContain("127.0.0.1:1");
    expect(asked).toEqual([]);
    expect(await relay.logsOf(user)).toEqual([]);
  });
});
