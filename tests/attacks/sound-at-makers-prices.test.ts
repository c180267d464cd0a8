// Who: callers who send sound or videos to a model of whose sound nobody has set a price, at a channel of any type.
// What must hold: it costs what its maker takes, and as much as text where the maker has one price for both. No ratio is guessed by
// the model's name.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { setUpRelay, until } from "../relay/harness";

const { openai, gemini, openrouter, mistral } = CHANNEL_TYPE;
const SOUND = 3_200;
const TEXT = 5;
const WRITTEN = 15;

const details = { audio_tokens: SOUND, cached_tokens: 0 };
const sums = { prompt_tokens: SOUND + TEXT, completion_tokens: WRITTEN, total_tokens: SOUND + TEXT + WRITTEN };
const chatUsage = { ...sums, prompt_tokens_details: details };
const seenUsage = { ...sums, prompt_tokens_details: { text_tokens: TEXT, video_tokens: SOUND } };
const responsesUsage = {
  ...{ input_tokens: SOUND + TEXT, output_tokens: WRITTEN, total_tokens: sums.total_tokens },
  input_tokens_details: details,
};
const geminiUsage = (modality: string) => ({
  ...{ promptTokenCount: SOUND + TEXT, candidatesTokenCount: WRITTEN, totalTokenCount: sums.total_tokens },
  promptTokensDetails: [
    { modality, tokenCount: SOUND },
    { modality: "TEXT", tokenCount: TEXT },
  ],
});

/** What the fake of each format answers: events, or the last of them whole. */
function answerTo(path: string, isSeen: boolean): { whole: unknown; events: unknown[] } {
  if (path.includes("enerateContent")) {
    const candidate = { content: { role: "model", parts: [{ text: "hi" }] }, finishReason: "STOP", index: 0 };
    const whole = { candidates: [candidate], usageMetadata: geminiUsage(isSeen ? "VIDEO" : "AUDIO") };
    return { whole, events: [whole] };
  }
  if (path.endsWith("/responses")) {
    const content = [{ type: "output_text", text: "hi", annotations: [] }];
    const output = [{ type: "message", id: "o", role: "assistant", status: "completed", content }];
    const whole = { id: "r", object: "response", status: "completed", model: "m", output, usage: responsesUsage };
    const text = { type: "response.output_text.delta", item_id: "o", output_index: 0, content_index: 0, delta: "hi" };
    return { whole, events: [text, { type: "response.completed", response: whole }] };
  }
  const base = { id: "c", created: 1, model: "m" };
  const message = { role: "assistant", content: "hi" };
  const usage = isSeen ? seenUsage : chatUsage;
  const chunk = { ...base, object: "chat.completion.chunk" };
  return {
    whole: { ...base, object: "chat.completion", choices: [{ index: 0, message, finish_reason: "stop" }], usage },
    events: [
      { ...chunk, choices: [{ index: 0, delta: message, finish_reason: "stop" }] },
      { ...chunk, choices: [], usage },
    ],
  };
}

const server = createServer(async (request, response) => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const path = (request.url ?? "").split("?")[0] ?? "";
  const body = `${Buffer.concat(parts)}`;
  const isStream = path.includes("streamGenerate") || body.includes('"stream":true');
  const { whole, events } = answerTo(path, /seen/.test(path + body));
  response.writeHead(200, { "content-type": isStream ? "text/event-stream" : "application/json" });
  if (!isStream) return void response.end(JSON.stringify(whole));
  const named = events.map((event) => {
    const { type } = event as { type?: string };
    return `${type ? `event: ${type}\n` : ""}data: ${JSON.stringify(event)}\n\n`;
  });
  response.end(`${named.join("")}${path.includes("Generate") ? "" : "data: [DONE]\n\n"}`);
});

/** Models that the operator has priced; all others have the built-in price. */
const RATIOS = {
  "own-model-that-hears": 1,
  "google/gemini-2.5-pro": 0.625,
  "voxtral-small-latest": 0.05,
  "qwen-omni-turbo-seen": 0.2,
  "gemini-seen": 1,
};
const relay = setUpRelay({
  options: {
    ModelRatio: RATIOS,
    CompletionRatio: {
      "google/gemini-2.5-pro": 8,
      "own-model-that-hears": 1,
      "qwen-omni-turbo-seen": 4,
      "gemini-seen": 1,
    },
    ImageRatio: { "gemini-seen": 3 },
  },
  channels: [],
});
beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ofGoogle = "gemini-2.5-pro,gemini-2.5-flash-lite,gemini-seen";
  const ofOpenai = "gpt-5,gpt-4o-audio-preview,own-model-that-hears,qwen-omni-turbo-seen";
  await relay.addChannel({ type: gemini, baseUrl, models: ofGoogle });
  await relay.addChannel({ type: openai, baseUrl, models: ofOpenai, setting: '{"speaks_responses":true}' });
  await relay.addChannel({ type: openrouter, baseUrl, models: "google/gemini-2.5-pro" });
  await relay.addChannel({ type: mistral, baseUrl, models: "voxtral-small-latest" });
  await relay.inForce();
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const data = Buffer.alloc(6_000).toString("base64");
const heard = [
  { type: "text", text: "hear" },
  { type: "input_audio", input_audio: { data, format: "wav" } },
];
const chat = (model: string, content: unknown = heard) => ({ model, messages: [{ role: "user", content }] });
const CHAT = "/v1/chat/completions";
const contents = [{ role: "user", parts: [{ text: "hear" }, { inlineData: { mimeType: "audio/wav", data } }] }];
const native = (model: string): string => `/v1beta/models/${model}:generateContent`;
const words = "a".repeat(4_000);

/** Of text, of sound and of an answer: the ratio of each. */
const due = (text: number, sound: number, answer: number): number =>
  Math.round(TEXT * text + SOUND * sound + WRITTEN * answer);

const REQUESTS = [
  ["Gemini's own caller", native("gemini-2.5-pro"), { contents }, 2_078],
  ["a caller of chat at Gemini", CHAT, chat("gemini-2.5-pro"), 2_078],
  ["a caller of Messages at Gemini", "/v1/messages", { ...chat("gemini-2.5-pro", words), max_tokens: 500 }, 2_078],
  ["a caller of Responses", "/v1/responses", { model: "gpt-5", input: words }, 2_078],
  ["Gemini behind OpenRouter", CHAT, chat("google/gemini-2.5-pro"), 2_078],
  ["a model whose maker has a price for sound", CHAT, chat("gemini-2.5-flash-lite"), due(0.05, 0.15, 0.2)],
  ["another maker's", CHAT, chat("gpt-4o-audio-preview"), due(1.25, 20, 5)],
  ["a model that the operator has priced", CHAT, chat("own-model-that-hears"), due(1, 1, 1)],
  ["Mistral's", CHAT, chat("voxtral-small-latest"), due(0.05, 0.05, 0.05)],
  // Alibaba and Google take as much for a video as for pictures.
  ["a video that Qwen sees", CHAT, chat("qwen-omni-turbo-seen", words), due(0.2, 0.75, 0.8)],
  ["a video that Gemini sees", CHAT, chat("gemini-seen", words), due(1, 3, 1)],
] as const;

describe("sound and videos cost what the maker takes, whoever asks (B54)", () => {
  const cases = REQUESTS.flatMap(([name, ...row]) => [false, true].map((stream) => [name, stream, ...row] as const));
  test.each(cases)("%s, streamed: %s", async (_, stream, path, body, quota) => {
    const { user, token } = await relay.addCaller({ balance: 100_000_000 });
    const isNative = path.startsWith("/v1beta");
    const at = isNative && stream ? `${path.replace("generateContent", "streamGenerateContent")}?alt=sse` : path;
    const response = await fetch(relay.url + at, {
      method: "POST",
      headers: { authorization: `Bearer ${token.key}`, "content-type": "application/json" },
      body: JSON.stringify(isNative ? body : { ...body, stream }),
    });
    const text = await response.text();
    expect(response.status, text.slice(0, 300)).toBe(200);
    await until(async () => (await relay.logsOf(user)).length > 0, 10_000);
    const [row] = await relay.logsOf(user);
    expect(row).toMatchObject({ quota, prompt: SOUND + TEXT, completion: WRITTEN });
    expect(row?.other.usage_rejected).toBeUndefined();
  });
});
