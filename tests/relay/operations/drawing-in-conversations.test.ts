import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { setUpRelay } from "../harness";

type Json = Record<string, unknown>;

const MODELS = [
  "gemini-3-pro-image",
  "gemini-3-flash",
  "openrouter/banana-image",
  "text-embedding-t",
  "embed-cohere-t",
];
const relay = setUpRelay({ prices: MODELS.join(","), channels: [] });
const asked: Json[] = [];

const CHAT = {
  id: "c",
  object: "chat.completion",
  choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }],
};
const GOOGLE = {
  candidates: [{ content: { role: "model", parts: [{ text: "ok" }] }, finishReason: "STOP", index: 0 }],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1 },
};
const VECTORS = {
  data: [{ index: 0, embedding: [1, 2] }],
  embeddings: { float: [[1, 2]] },
  usage: { prompt_tokens: 1, total_tokens: 1 },
};

const server = createServer(async (request, response) => {
  let text = "";
  for await (const part of request) text += String(part);
  asked.push(JSON.parse(text) as Json);
  const { url = "" } = request;
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(url.includes("embed") ? VECTORS : url.includes(":generateContent") ? GOOGLE : CHAT));
});

beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await relay.addChannel({ type: CHANNEL_TYPE.gemini, baseUrl, models: "gemini-3-pro-image,gemini-3-flash" });
  await relay.addChannel({ type: CHANNEL_TYPE.openrouter, baseUrl, models: "openrouter/banana-image" });
  await relay.addChannel({ type: CHANNEL_TYPE.openai, baseUrl, models: "text-embedding-t" });
  await relay.addChannel({ type: CHANNEL_TYPE.cohere, baseUrl, models: "embed-cohere-t" });
  await relay.inForce();
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

async function ask(path: string, body: Json) {
  const { token } = await relay.addCaller({ balance: 10_000_000 });
  const headers = {
    "content-type": "application/json",
    authorization: `Bearer ${token.key}`,
    "x-goog-api-key": token.key,
  };
  const count = asked.length;
  const response = await fetch(relay.url + path, { method: "POST", headers, body: JSON.stringify(body) });
  const text = await response.text();
  return { status: response.status, text, sent: asked.length > count ? (asked.at(-1) ?? null) : null };
}

const chat = (model: string, more: Json) =>
  ask("/v1/chat/completions", { model, messages: [{ role: "user", content: "Draw." }], ...more });
const google = (model: string, generationConfig: Json) =>
  ask(`/v1beta/models/${encodeURIComponent(model)}:generateContent`, {
    contents: [{ role: "user", parts: [{ text: "Draw." }] }],
    generationConfig,
  });

/** https://openrouter.ai/docs/features/multimodal/image-generation, https://ai.google.dev/api/generate-content#ImageConfig */
describe("a conversation that asks for pictures", () => {
  test.each([
    [{ modalities: ["image", "text"] }, { responseModalities: ["TEXT", "IMAGE"] }],
    [{ modalities: ["image"] }, { responseModalities: ["IMAGE"] }],
    [
      { modalities: ["text", "image"], image_config: { aspect_ratio: "16:9", image_size: "2K" } },
      { responseModalities: ["TEXT", "IMAGE"], imageConfig: { aspectRatio: "16:9", imageSize: "2K" } },
    ],
    [
      { image_config: { aspect_ratio: "1:1" } },
      { responseModalities: ["TEXT", "IMAGE"], imageConfig: { aspectRatio: "1:1" } },
    ],
  ])("reaches Google from chat: %j", async (given, config) => {
    const { status, sent, text } = await chat("gemini-3-pro-image", given);
    expect([status, status === 200 ? "" : text]).toEqual([200, ""]);
    expect(sent?.generationConfig).toMatchObject(config);
  });

  test("reaches Google as it came from Google's callers", async () => {
    const config = { responseModalities: ["TEXT", "IMAGE"], imageConfig: { aspectRatio: "16:9" } };
    const { status, sent } = await google("gemini-3-pro-image", config);
    expect([status, sent?.generationConfig]).toEqual([200, config]);
  });

  test("reaches chat upstreams from Google's callers and from chat", async () => {
    const right = { modalities: ["image", "text"], image_config: { aspect_ratio: "16:9", image_size: "4K" } };
    const config = { responseModalities: ["TEXT", "IMAGE"], imageConfig: { aspectRatio: "16:9", imageSize: "4K" } };
    expect((await google("openrouter/banana-image", config)).sent).toMatchObject(right);
    expect((await chat("openrouter/banana-image", right)).sent).toMatchObject(right);
  });

  test("is refused for a model that draws nothing", async () => {
    const asChat = await chat("gemini-3-flash", { modalities: ["image"] });
    const asGoogle = await google("gemini-3-flash", { responseModalities: ["IMAGE"] });
    for (const { status, text, sent } of [asChat, asGoogle]) {
      expect([status, sent, /modalities/i.test(text)]).toEqual([400, null, true]);
    }
  });
});

/** https://ai.google.dev/api/embeddings#EmbedContentConfig */
describe("the settings of an embedding in embedContentConfig", () => {
  const content = { parts: [{ text: "a weir" }] };
  const embed = (model: string, more: Json) => ask(`/v1beta/models/${model}:embedContent`, { content, ...more });

  test.each([
    { embedContentConfig: { outputDimensionality: 256, taskType: "RETRIEVAL_QUERY" } },
    { embed_content_config: { output_dimensionality: 256, task_type: "RETRIEVAL_QUERY" } },
    { outputDimensionality: 9, embedContentConfig: { outputDimensionality: 256, taskType: "RETRIEVAL_QUERY" } },
    { outputDimensionality: 256, taskType: "RETRIEVAL_QUERY" },
  ])("reach upstreams of other formats: %j", async (more) => {
    const asOpenai = await embed("text-embedding-t", more);
    expect([asOpenai.status, asOpenai.sent?.dimensions]).toEqual([200, 256]);
    const asCohere = await embed("embed-cohere-t", more);
    expect(asCohere.sent).toMatchObject({ output_dimension: 256, input_type: "search_query" });
  });

  test.each(["text-embedding-t", "embed-cohere-t"])(
    "are refused by name where they have no word: %s",
    async (model) => {
      for (const more of [
        { embedContentConfig: { title: "Weirs" } },
        { title: "Weirs" },
        { embedContentConfig: { autoTruncate: true } },
      ]) {
        const { status, text, sent } = await embed(model, more);
        expect([status, sent, /title|autoTruncate/.test(text)]).toEqual([400, null, true]);
      }
    },
  );
});
