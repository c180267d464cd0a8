// Sound and pictures cost what their maker takes, or what the operator set: in every dialect, streamed and not, in every kind of
// request that counts them. No price follows from the model's name alone, and no reservation is below the charge.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { priceBound, priceUsage, resolvePrice } from "@/lib/billing/price";
import { type BilledUsage, NO_USAGE, type PriceOptions } from "@/lib/billing/types";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { createTestDatabase } from "@/lib/testing/database";
import { setUpRelay, until } from "../relay/harness";

const OPTIONS: PriceOptions = {
  ModelRatio: {},
  CompletionRatio: {},
  ModelPrice: {},
  CacheRatio: {},
  QuotaPerUnit: 500_000,
  SelfUseModeEnabled: false,
};
const MILLION = 1_000_000;
const usageOf = (usage: Partial<BilledUsage>): BilledUsage => ({ ...NO_USAGE, ...usage });

/** USD for a million tokens of one kind. */
function usd(model: string, usage: Partial<BilledUsage>, options: PriceOptions = OPTIONS): number {
  const price = resolvePrice(model, 1, options);
  if (!price) throw new Error(`${model} has no price`);
  return priceUsage(usageOf(usage), price).quota / options.QuotaPerUnit;
}
const heard = { promptTokens: MILLION, audioPromptTokens: MILLION };
const spoken = { completionTokens: MILLION, audioCompletionTokens: MILLION };
const cachedSound = { promptTokens: MILLION, cachedTokens: MILLION, cachedAudioTokens: MILLION };
const seen = { promptTokens: MILLION, imagePromptTokens: MILLION };
const cachedPicture = { promptTokens: MILLION, cachedTokens: MILLION, cachedImageTokens: MILLION };
const written = { completionTokens: MILLION };
const read = { promptTokens: MILLION };

describe("built-in prices are those of the makers", () => {
  // Of https://developers.openai.com/api/docs/models/<model> and https://ai.google.dev/gemini-api/docs/pricing, November 2026.
  test.each([
    ["gpt-4o-audio-preview", { text: 2.5, audio: 40, audioOut: 80 }],
    ["gpt-4o-audio-preview-2024-10-01", { text: 2.5, audio: 100, audioOut: 200 }],
    ["gpt-4o-mini-audio-preview", { text: 0.15, audio: 10, audioOut: 20 }],
    ["gpt-audio", { text: 2.5, audio: 32, audioOut: 64 }],
    ["gpt-audio-mini", { text: 0.6, audio: 10, audioOut: 20 }],
    ["gpt-realtime", { text: 4, audio: 32, audioOut: 64, audioCached: 0.4, image: 5, imageCached: 0.5 }],
    ["gpt-realtime-mini", { text: 0.6, audio: 10, audioOut: 20, audioCached: 0.3, image: 0.8, imageCached: 0.08 }],
    ["gpt-4o-realtime-preview", { text: 5, audio: 40, audioOut: 80, audioCached: 2.5 }],
    ["gpt-4o-mini-realtime-preview", { text: 0.6, audio: 10, audioOut: 20, audioCached: 0.3 }],
    ["gpt-image-1", { text: 5, image: 10, imageCached: 2.5 }],
    ["gpt-image-1-mini", { text: 2, image: 2.5, imageCached: 0.25 }],
    ["gpt-image-1.5", { text: 5, image: 8, imageCached: 2 }],
    ["gpt-image-2", { text: 5, image: 8, imageCached: 2 }],
    ["gemini-2.5-flash", { text: 0.3, audio: 1, audioCached: 0.1, image: 0.3 }],
    ["gemini-2.5-flash-lite", { text: 0.1, audio: 0.3, audioCached: 0.03, image: 0.1 }],
    ["gemini-3-flash-preview", { text: 0.5, audio: 1, audioCached: 0.1 }],
    ["gemini-2.5-pro", { text: 1.25, audio: 1.25, audioOut: 10, image: 1.25 }],
    ["gemini-3-pro-preview", { text: 2, audio: 2, image: 2 }],
    ["gpt-5", { text: 1.25, audio: 1.25, audioOut: 10, audioCached: 0.125, image: 1.25 }],
  ] as const)("%s", (model, wanted) => {
    const usages = {
      text: read,
      audio: heard,
      audioOut: spoken,
      audioCached: cachedSound,
      image: seen,
      imageCached: cachedPicture,
    };
    for (const [kind, amount] of Object.entries(wanted))
      expect(usd(model, usages[kind as keyof typeof usages]), `${model} ${kind}`).toBeCloseTo(amount, 6);
  });

  test("a newer model has the row of its family, behind whatever reseller", () => {
    const options = {
      ...OPTIONS,
      ModelRatio: { "gpt-realtime-9": 1, "openai/gpt-audio": 1, "my-realtime": 1, "x-audio": 1 },
    };
    expect(usd("gpt-realtime-9", heard, options)).toBeCloseTo(16, 6);
    expect(usd("openai/gpt-audio", heard, options)).toBeCloseTo(25.6, 6);
    for (const guessed of ["my-realtime", "x-audio"]) expect(usd(guessed, heard, options)).toBe(2);
  });

  test("a price of the operator's counts before, each by itself", () => {
    const set = {
      AudioRatio: { m: 5 },
      AudioCacheRatio: { m: 0.3 },
      ImageRatio: { m: 3 },
      ImageCacheRatio: { m: 0.7 },
    };
    const options = { ...OPTIONS, ModelRatio: { m: 0.5 }, CompletionRatio: { m: 4 }, CacheRatio: { m: 0.1 }, ...set };
    const all = [read, heard, spoken, cachedSound, seen, cachedPicture, written].map((usage) =>
      usd("m", usage, options),
    );
    expect(all).toEqual([1, 5, 10, 0.3, 3, 0.7, 4]);
    expect(usd("m", spoken, { ...options, AudioCompletionRatio: { m: 6 } })).toBe(30);
    expect(usd("gpt-audio", heard, { ...OPTIONS, AudioRatio: { "gpt-audio": 1 } })).toBe(2.5);
  });
});

test("what was guessed for models that the operator priced is kept as a ratio that is shown", async () => {
  const database = await createTestDatabase();
  const models = {
    "my-realtime": 1,
    "x-audio-2": 1,
    "my-transcribe": 1,
    "gpt-4o-audio-preview": 1,
    "gpt-4o": 1,
    "openai/gpt-realtime": 1,
  };
  const kept = () => database.sql<{ value: string }[]>`select value from options where key = 'AudioRatio'`;
  const migration = readFileSync("db/migrations/0047_sound-ratios.sql", "utf8");
  try {
    await database.sql.unsafe(migration);
    expect(await kept()).toEqual([]);
    await database.sql`insert into options (key, value) values ('ModelRatio', ${JSON.stringify(models, null, 2)})`;
    await database.sql.unsafe(migration);
    const [row] = await kept();
    expect(JSON.parse(row?.value ?? "")).toEqual({ "my-realtime": 20, "x-audio-2": 40, "my-transcribe": 2.4 });
  } finally {
    await database.drop();
  }
});

test("no charge is above the bound of its request, whatever its tokens turn out to be", () => {
  const ratios = [0.1, 1, 7];
  for (const audio of ratios)
    for (const image of ratios)
      for (const cached of ratios) {
        const set = {
          AudioRatio: { m: audio },
          ImageRatio: { m: image },
          AudioCacheRatio: { m: cached },
          ImageCacheRatio: { m: cached },
        };
        const price = resolvePrice("m", 1, { ...OPTIONS, ModelRatio: { m: 1 }, ...set });
        if (!price) throw new Error("no price");
        const bound = priceBound(
          { promptTokens: 900, imagePromptTokens: 500, audioPromptTokens: 100, writesAudio: true },
          50,
          price,
        );
        const all = { promptTokens: 1_000, completionTokens: 50 };
        const usages: Partial<BilledUsage>[] = [
          { audioPromptTokens: 100, imagePromptTokens: 500 },
          { cachedTokens: 600, cachedAudioTokens: 100, cachedImageTokens: 500 },
          { cachedTokens: 100, cachedAudioTokens: 100, imagePromptTokens: 500, audioCompletionTokens: 50 },
          { cacheWriteTokens: 900 },
        ];
        for (const usage of usages) {
          const charge = priceUsage(usageOf({ ...all, ...usage }), price);
          expect(charge.quota).toBeLessThanOrEqual(bound);
          expect(charge.lines.reduce((sum, { amount }) => sum + amount, 0)).toBe(charge.quota);
          const counted = charge.lines
            .filter(({ kind }) => kind !== "call")
            .reduce((sum, { quantity }) => sum + quantity, 0);
          expect(counted).toBe(1_050);
        }
      }
});

// Requests through the gateway, at a price of text of one quota a token.
const AUDIO = {
  AudioRatio: 10,
  AudioCompletionRatio: 3,
  AudioCacheRatio: 0.5,
  ImageRatio: 4,
  ImageCacheRatio: 0.25,
} as const;
const { openai, gemini, dashscope } = CHANNEL_TYPE;
const chatUsage = {
  prompt_tokens: 1_000,
  completion_tokens: 100,
  total_tokens: 1_100,
  prompt_tokens_details: {
    cached_tokens: 150,
    audio_tokens: 350,
    image_tokens: 300,
    cached_tokens_details: { audio_tokens: 50, image_tokens: 100 },
  },
  completion_tokens_details: { audio_tokens: 40 },
};
/** 350 of text, 300 heard, 200 seen, 50 and 100 of them cached; 60 written, 40 spoken. */
const CHAT = 350 + 300 * 10 + 200 * 4 + 50 * 0.5 + 100 * 0.25 + 60 * 2 + 40 * 30;
const geminiUsage = {
  promptTokenCount: 1_000,
  candidatesTokenCount: 100,
  cachedContentTokenCount: 150,
  promptTokensDetails: [
    { modality: "TEXT", tokenCount: 350 },
    { modality: "AUDIO", tokenCount: 350 },
    { modality: "IMAGE", tokenCount: 300 },
  ],
  cacheTokensDetails: [
    { modality: "AUDIO", tokenCount: 50 },
    { modality: "IMAGE", tokenCount: 100 },
  ],
  candidatesTokensDetails: [{ modality: "AUDIO", tokenCount: 40 }],
};
const pictureUsage = {
  total_tokens: 1_140,
  input_tokens: 340,
  output_tokens: 800,
  input_tokens_details: {
    text_tokens: 40,
    image_tokens: 300,
    cached_tokens: 100,
    cached_tokens_details: { image_tokens: 100, text_tokens: 0 },
  },
};
const PICTURE = 40 + 200 * 4 + 100 * 0.25 + 800 * 2;

type Answer = { whole: unknown; events: unknown[] };
const message = { role: "assistant", content: "hi" };
const responses = {
  id: "r",
  object: "response",
  status: "completed",
  model: "m",
  output: [
    {
      type: "message",
      id: "o",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "hi", annotations: [] }],
    },
  ],
  usage: {
    input_tokens: 1_000,
    output_tokens: 60,
    total_tokens: 1_060,
    input_tokens_details: chatUsage.prompt_tokens_details,
  },
};
/** What the fake of each format answers. */
function answerTo(path: string): Answer {
  if (path.includes("enerateContent")) {
    const candidate = { content: { role: "model", parts: [{ text: "hi" }] }, finishReason: "STOP", index: 0 };
    const whole = { candidates: [candidate], usageMetadata: geminiUsage };
    return { whole, events: [whole] };
  }
  if (path.includes("/images/")) {
    const one = { b64_json: "d2hvbGU=" };
    return {
      whole: { created: 1, data: [one], usage: pictureUsage },
      events: [{ type: "image_edit.completed", ...one, usage: pictureUsage }],
    };
  }
  if (path.endsWith("/responses"))
    return { whole: responses, events: [{ type: "response.completed", response: responses }] };
  const base = { id: "c", created: 1, model: "m" };
  return {
    whole: {
      ...base,
      object: "chat.completion",
      choices: [{ index: 0, message, finish_reason: "stop" }],
      usage: chatUsage,
    },
    events: [
      { ...base, object: "chat.completion.chunk", choices: [{ index: 0, delta: message, finish_reason: "stop" }] },
      { ...base, object: "chat.completion.chunk", choices: [], usage: chatUsage },
    ],
  };
}

const server = createServer(async (request, response) => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const path = (request.url ?? "").split("?")[0] ?? "";
  const isStream = path.includes("streamGenerate") || `${Buffer.concat(parts)}`.includes('"stream":true');
  const { whole, events } = answerTo(path);
  response.writeHead(200, { "content-type": isStream ? "text/event-stream" : "application/json" });
  if (!isStream) return void response.end(JSON.stringify(whole));
  const named = events.map((event) => {
    const { type } = event as { type?: string };
    return `${type ? `event: ${type}\n` : ""}data: ${JSON.stringify(event)}\n\n`;
  });
  response.end(`${named.join("")}${path.includes("Generate") ? "" : "data: [DONE]\n\n"}`);
});

const MODELS = ["heard-chat", "gpt-image-x", "heard-gemini", "heard-dashscope"];
const relay = setUpRelay({
  prices: MODELS.join(","),
  options: Object.fromEntries(
    Object.entries(AUDIO).map(([key, ratio]) => [key, Object.fromEntries(MODELS.map((model) => [model, ratio]))]),
  ),
  channels: [],
});
beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await relay.addChannel({ type: openai, baseUrl, models: "heard-chat,gpt-image-x" });
  await relay.addChannel({ type: gemini, baseUrl, models: "heard-gemini" });
  await relay.addChannel({ type: dashscope, baseUrl, models: "heard-dashscope" });
  await relay.inForce();
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const said = { messages: [{ role: "user", content: "a".repeat(4_000) }], max_tokens: 500 };
const contents = [{ role: "user", parts: [{ text: "a".repeat(4_000) }] }];
const picture = { prompt: "a weir", images: ["https://x.invalid/1.png"] };
const REQUESTS = [
  ["chat", "/v1/chat/completions", { model: "heard-chat", ...said }, CHAT],
  ["a caller of Messages at chat", "/v1/messages", { model: "heard-chat", ...said }, CHAT],
  ["Responses", "/v1/responses", { model: "heard-chat", input: "a".repeat(4_000) }, CHAT],
  ["Gemini", "/v1beta/models/heard-gemini:generateContent", { contents }, CHAT],
  ["a caller of chat at Gemini", "/v1/chat/completions", { model: "heard-gemini", ...said }, CHAT],
  ["pictures that are edited", "/v1/images/edits", { model: "gpt-image-x", ...picture }, PICTURE],
] as const;

describe("what is reported of sound and pictures is charged at the price set, and kept in the log (B54)", () => {
  const cases = REQUESTS.flatMap(([name, ...row]) => [false, true].map((stream) => [name, stream, ...row] as const));
  test.each(cases)("%s, streamed: %s", async (name, stream, path, body, quota) => {
    const { user, token } = await relay.addCaller({ balance: 100_000_000 });
    const isGemini = path.startsWith("/v1beta");
    const at = isGemini && stream ? `${path.replace("generateContent", "streamGenerateContent")}?alt=sse` : path;
    const response = await fetch(relay.url + at, {
      method: "POST",
      headers: { authorization: `Bearer ${token.key}`, "content-type": "application/json" },
      body: JSON.stringify({ ...body, ...(stream && !isGemini ? { stream: true } : {}) }),
    });
    const text = await response.text();
    expect(response.status, text.slice(0, 300)).toBe(200);
    await until(async () => (await relay.logsOf(user)).length > 0, 10_000);
    const [row] = await relay.logsOf(user);
    // The Responses API of OpenAI has no sound in answers.
    const wanted = name === "Responses" && row?.completion === 60 ? CHAT - 40 * 30 : quota;
    expect(row?.quota).toBe(wanted);
    expect(row?.other).toMatchObject({
      image: true,
      image_input: 200,
      image_ratio: 4,
      image_cached: 100,
      image_cache_ratio: 0.25,
    });
    // The requests have no sound in them, so that only the pictures of an edit were reserved for.
    if (path.includes("/images/")) expect(row?.other.beyond_reservation).toBeUndefined();
  });
});
