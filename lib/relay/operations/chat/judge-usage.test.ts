import { describe, expect, test } from "vitest";
import { NO_USAGE } from "@/lib/billing/types";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { quoteRequest } from "../../admission/quote";
import { rows } from "../../providers/rows";
import type { Json } from "../../wire/canonical/json";
import { anthropicMessages } from "../../wire/dialects/anthropic-messages";
import type { Dialect } from "../../wire/dialects/dialect";
import { geminiGenerateContent } from "../../wire/dialects/gemini-generate-content";
import { openaiChat } from "../../wire/dialects/openai-chat";
import { openaiResponses } from "../../wire/dialects/openai-responses";
import type { Call, EncodeTarget } from "../operation";
import { readChat } from "./chat-intake";
import { judgeUsage } from "./judge-usage";

const MODEL = "gemini-2.5-pro";

type Media = { mediaType: string; data: string };
const inMessages = (part: Json, text: string): Json => ({
  model: MODEL,
  max_tokens: 100,
  messages: [{ role: "user", content: [{ type: "text", text }, part] }],
});
const urlOf = ({ mediaType, data }: Media) => `data:${mediaType};base64,${data}`;

/** A picture, by what the field says, in the words of each kind of caller. */
const asked: Record<string, { dialect: Dialect; path: string; body: (media: Media, text: string) => Json }> = {
  "Chat Completions": {
    dialect: openaiChat,
    path: "/v1/chat/completions",
    body: (media, text) => inMessages({ type: "image_url", image_url: { url: urlOf(media) } }, text),
  },
  Responses: {
    dialect: openaiResponses,
    path: "/v1/responses",
    body: (media, text) => {
      const content = [
        { type: "input_text", text },
        { type: "input_image", image_url: urlOf(media) },
      ];
      return { model: MODEL, input: [{ role: "user", content }] };
    },
  },
  Messages: {
    dialect: anthropicMessages,
    path: "/v1/messages",
    body: ({ mediaType: media_type, data }, text) =>
      inMessages({ type: "image", source: { type: "base64", media_type, data } }, text),
  },
  "Google's own": {
    dialect: geminiGenerateContent,
    path: `/v1beta/models/${MODEL}:generateContent`,
    body: (inlineData, text) => ({
      contents: [{ parts: [{ text }, { inlineData: { mimeType: inlineData.mediaType, data: inlineData.data } }] }],
    }),
  },
};

function intakeOf(dialect: Dialect, path: string, json: Json) {
  const call = { clientDialect: dialect.client, path, query: "", headers: {}, allowedOptions: [] } as unknown as Call;
  return readChat(Buffer.from(JSON.stringify(json)), call);
}

const options = {
  ...{ ModelRatio: {}, CompletionRatio: {}, ModelPrice: {}, CacheRatio: {}, ModelMeterPrices: {}, ModelMaxOutput: {} },
  ...{ QuotaPerUnit: 500_000, SelfUseModeEnabled: false, DefaultMaxOutput: 16_384, PreConsumedQuota: 500 },
};

/** What is reserved, and what of a report is charged, in tokens of the prompt. */
async function judged(intake: ReturnType<typeof intakeOf>, type: number, promptTokens: number) {
  const channel = { type, baseUrl: "", other: "", setting: { systemPrompt: "" }, paramOverride: {} };
  const target = { channel, row: rows.get(type), model: MODEL, cap: null, isUntouched: false, options: {} };
  const { body, uploads, pictureBytes = 0 } = await intake.encode(target as unknown as EncodeTarget);
  const sent = uploads ? uploads.bodyWith(new Map(uploads.files.map((file, at) => [file, `id${at}`]))) : body;
  const quote = quoteRequest(intake, { groupRatio: 1 }, { acceptsUnpriced: true }, { options });
  const { hidden, completionTokensMax } = quote;
  const asSent = { bodyBytes: sent.length, pictureBytes, unseenTokensMax: 0, hidden, completionTokensMax };
  const reported = { ...NO_USAGE, promptTokens, completionTokens: 20 };
  const usage = judgeUsage(reported, { ...asSent, isAnswered: true }, intake.facts, () => 100);
  const { promptTokens: shown, audioPromptTokens } = quote.prompt;
  return { reserved: shown + audioPromptTokens, charged: usage.promptTokens, bodyBytes: sent.length };
}

describe("what is sent as a picture counts by its media type", () => {
  const data = Buffer.from("word ".repeat(100_000)).toString("base64");
  const types: readonly [mediaType: string, reported: number, reserved: number][] = [
    ["text/plain", 100_010, 100_010],
    ["application/pdf", 258_000, 258_000],
    ["application/octet-stream", 258_000, 258_000],
    ["video/mp4", 139_470, 139_470],
    ["audio/wav", 16_000, 6_000],
    ["AUDIO/MP3", 16_000, 6_000],
  ];

  test.each(Object.keys(asked))("%s: documents, films and sound at Google", async (name) => {
    const { dialect, path, body } = asked[name] ?? {};
    if (!dialect || !path || !body) throw new Error(name);
    for (const [mediaType, reported, least] of types) {
      const intake = intakeOf(dialect, path, body({ mediaType, data }, "sum up"));
      const { reserved, charged } = await judged(intake, CHANNEL_TYPE.gemini, reported);
      expect({ mediaType, charged }).toEqual({ mediaType, charged: reported });
      expect(reserved, mediaType).toBeGreaterThanOrEqual(least);
    }
  });

  test.each(Object.keys(asked))("%s: a picture of a megabyte has the tokens of a picture", async (name) => {
    const { dialect, path, body } = asked[name] ?? {};
    if (!dialect || !path || !body) throw new Error(name);
    const png = { mediaType: "image/png", data: Buffer.alloc(1_000_000, 7).toString("base64") };
    for (const type of [CHANNEL_TYPE.gemini, CHANNEL_TYPE.openai, CHANNEL_TYPE.anthropic, CHANNEL_TYPE.ollama]) {
      const intake = intakeOf(dialect, path, body(png, "what is it?"));
      const { charged, bodyBytes } = await judged(intake, type, 1_000_000);
      expect(bodyBytes, String(type)).toBeGreaterThan(1_300_000);
      expect(charged, String(type)).toBeLessThan(5_000 + 4_096 + 1_000);
    }
  });
});

describe("only pictures that the body sent holds are taken from the bound of its text", () => {
  const url = `data:image/png;base64,${Buffer.alloc(1_000_000, 7).toString("base64")}`;
  const picture = { type: "image_url", image_url: { url } };
  const text = { type: "text", text: "word ".repeat(40_000) };
  const same = { type: "text", text: url };

  test.each([
    ["text beside a picture that is uploaded to Dify", CHANNEL_TYPE.dify, text, 41_000],
    ["text beside a picture that is uploaded to Coze", CHANNEL_TYPE.coze, text, 41_000],
    ["text that is the data URL of the picture, at Anthropic", CHANNEL_TYPE.anthropic, same, 1_200_000],
    ["text that is the data URL of the picture, at Google", CHANNEL_TYPE.gemini, same, 1_200_000],
  ])("%s", async (_, type, words, reported) => {
    const messages = [{ role: "user", content: [words, picture] }];
    const intake = intakeOf(openaiChat, "/v1/chat/completions", { model: MODEL, max_tokens: 100, messages });
    expect((await judged(intake, type, reported)).charged).toBe(reported);
  });
});
