// "Do not think" and "think", from callers of every dialect, at upstreams of every kind that knows the difference: each is
// told in its own word, and none gets a word that it would refuse.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type Json, readObject } from "@/lib/relay/canonical/json";
import { CHANNEL_TYPE } from "@/lib/relay/upstreams/rows/channel-type-ids";
import { readChunksFixture, readJsonFixture } from "@/lib/testing/dialect-fixtures";
import { encodeFrames } from "@/lib/testing/encode-frames";
import { serviceAccount } from "@/lib/testing/service-account";
import { MAKERS, type Maker, type Verdict } from "@/lib/testing/strict-upstream/makers";
import { setUpRelay } from "../relay/harness";

vi.stubEnv("WEIR_EGRESS_ALLOW", "127.0.0.1");

/** `always`: it thinks whatever it is told; `never`: it does not. */
type Case = { type: number; maker: Maker; model: string; is?: "always" | "never" };
const at = (type: number, maker: Maker, models: string, always = "", never = ""): Case[] => [
  ...models.split(" ").map((model): Case => ({ type, maker, model })),
  ...always.split(" ").flatMap((model): Case[] => (model === "" ? [] : [{ type, maker, model, is: "always" }])),
  ...never.split(" ").flatMap((model): Case[] => (model === "" ? [] : [{ type, maker, model, is: "never" }])),
];

const CASES: readonly Case[] = [
  ...at(
    ...([
      CHANNEL_TYPE.openai,
      "openai",
      "gpt-5.1 gpt-5.2 gpt-5.4-mini gpt-5.5 gpt-5.7 gpt-6 gpt-6-luna gpt-7-mini",
    ] as const),
    ...["gpt-5 gpt-6-astra gpt-6.1-sol o3", "gpt-4.1"],
  ),
  ...at(CHANNEL_TYPE.azure, "openai", "gpt-5.2 gpt-6-luna"),
  ...at(
    CHANNEL_TYPE.deepseek,
    "deepseek",
    "deepseek-v4-pro deepseek-chat deepseek-flash deepseek-v5 deepseek-reasoner",
  ),
  ...at(
    CHANNEL_TYPE.moonshot,
    "moonshot",
    "kimi-k2.5 kimi-k2.6",
    "kimi-k3 kimi-k4",
    "moonshot-v1-8k kimi-k2-0905-preview",
  ),
  ...at(CHANNEL_TYPE.zhipu, "zhipu", "glm-4.5 glm-4.6 glm-5 glm-5.2", "glm-5.3 glm-6", "glm-4-plus"),
  ...at(
    CHANNEL_TYPE.dashscope,
    "dashscope",
    "qwen-plus qwen3-max qwen3.5-plus qwen3-32b qwen4 deepseek-v4-flash glm-5",
  ),
  ...at(
    ...([CHANNEL_TYPE.siliconflow, "siliconflow", "Qwen/Qwen3-8B deepseek-ai/DeepSeek-V4 zai-org/GLM-4.6"] as const),
    ...["", "Qwen/Qwen2.5-7B-Instruct"],
  ),
  ...at(
    CHANNEL_TYPE.volcengine,
    "volcengine",
    "doubao-seed-1-6-250615 doubao-seed-2-0-pro ep-20260101 deepseek-v3-2",
    "",
    "doubao-pro-32k",
  ),
  ...at(
    ...([
      CHANNEL_TYPE.openrouter,
      "openrouter",
      "deepseek/deepseek-v4 openai/gpt-5.2 anthropic/claude-opus-5 x/unknown",
    ] as const),
    "anthropic/claude-opus-5.5 openai/gpt-6-astra moonshotai/kimi-k3",
  ),
  ...at(
    CHANNEL_TYPE.qianfan,
    "qianfan",
    "deepseek-v3.2 kimi-k2.5 glm-5 qwen3-32b ernie-5.0-thinking-preview",
    "",
    "ernie-4.0-8k",
  ),
  ...at(CHANNEL_TYPE.minimax, "minimax", "MiniMax-M3", "MiniMax-M3.1-Flash MiniMax-M4"),
  ...at(CHANNEL_TYPE.xai, "xai", "grok-4.3", "grok-4.5 grok-3-mini", "grok-3"),
  ...at(CHANNEL_TYPE.mistral, "mistral", "mistral-small-latest", "", "mistral-nemo"),
  ...at(
    ...([
      CHANNEL_TYPE.anthropic,
      "anthropic",
      "claude-opus-4-5 claude-opus-4-6 claude-opus-5 claude-sonnet-5-5 claude-haiku-5-5",
    ] as const),
    "claude-opus-5-5 claude-fable-5-1 claude-mythos-5 claude-opus-6",
  ),
  // Anthropic's format is served by others, too.
  ...at(CHANNEL_TYPE.anthropic, "anthropic", "deepseek-v4-pro glm-4.6 kimi-k2.6"),
  ...at(CHANNEL_TYPE.bedrock, "anthropic", "claude-opus-4-5 claude-opus-5 claude-sonnet-5-5", "claude-opus-5-5"),
  ...at(CHANNEL_TYPE.bedrock, "converse", "nova-2-lite-v1:0", "openai.gpt-oss-120b-1:0"),
  ...at(CHANNEL_TYPE.vertex, "anthropic", "claude-opus-5 claude-sonnet-5-5", "claude-opus-5-5"),
  ...at(CHANNEL_TYPE.vertex, "gemini", "gemini-2.5-flash", "gemini-2.5-pro gemini-3-pro"),
  ...at(
    CHANNEL_TYPE.gemini,
    "gemini",
    "gemini-2.5-flash",
    "gemini-2.5-pro gemini-3-flash gemini-3.8-flash gemini-4-pro",
  ),
  ...at(CHANNEL_TYPE.ollama, "ollama", "qwen3:8b", "gpt-oss:20b"),
  ...at(CHANNEL_TYPE.cohere, "cohere", "command-a-reasoning-08-2025"),
  ...at(CHANNEL_TYPE.hunyuan, "hunyuan", "hunyuan-a13b"),
];

const nameOf = ({ type, model }: Case): string => `t${type}-${model.replaceAll("/", "-")}`;

/** Which format a path is of. */
const PATHS: readonly (readonly [RegExp, string])[] = [
  [/\/chat\/completions|chatcompletion_v2/, "openai-chat"],
  [/\/responses/, "openai-responses"],
  [/\/invoke/, "bedrock-invoke"],
  [/\/converse/, "bedrock-converse"],
  [/\/messages|rawPredict/i, "anthropic-messages"],
  [/generateContent/i, "gemini-generate-content"],
  [/\/api\/chat/, "ollama"],
  [/\/v2\/chat/, "cohere"],
  [/.*/, "hunyuan"],
];

type Seen = Verdict & { name: string; body: Json; format: string };
const seen: Seen[] = [];

/** Judges each request by its provider's rules, and answers it in its format. The address says the case. */
const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on("data", (part: Buffer) => parts.push(part));
  request.on("end", () => {
    const { url = "" } = request;
    if (url.startsWith("/oauth")) return response.end(JSON.stringify({ access_token: "t", expires_in: 3_600 }));
    const [, index = ""] = /^\/case\/(\d+)/.exec(url) ?? [];
    const one = CASES[Number(index)];
    const format = PATHS.find(([path]) => path.test(url))?.[1] ?? "";
    const body = readObject(JSON.parse(Buffer.concat(parts).toString("utf8")));
    const isStream = body.stream === true || body.Stream === true || /stream/i.test(url);
    const verdict = one ? MAKERS[one.maker](one.model, body, isStream) : { fault: "no case", thinks: "yes" as const };
    seen.push({ ...verdict, body, format, name: one ? nameOf(one) : "" });
    if (verdict.fault !== "") {
      response.writeHead(400, { "content-type": "application/json" });
      return response.end(JSON.stringify({ error: { message: verdict.fault } }));
    }
    if (!isStream) return response.end(JSON.stringify(readJsonFixture(format, "text.answer")));
    const framing = format.startsWith("bedrock") ? "aws-event-stream" : format === "ollama" ? "ndjson" : "sse";
    const { contentType, bytes } = encodeFrames(framing, readChunksFixture(format, "text"));
    response.writeHead(200, { "content-type": contentType });
    return response.end(bytes);
  });
});

const relay = setUpRelay({
  prices: CASES.map(nameOf).join(","),
  options: { UnseenDrainSeconds: "0", RetryTimes: "0" },
});
let key: string;

beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const keys: ReadonlyMap<number, string> = new Map([
    [CHANNEL_TYPE.bedrock, "AKID|secret|us-east-1"],
    [CHANNEL_TYPE.zhipu, "id.secret"],
    [CHANNEL_TYPE.hunyuan, "1|id|secret"],
    [CHANNEL_TYPE.vertex, serviceAccount({ token_uri: `${url}/oauth/2.0/token` })],
  ]);
  for (const [i, one] of CASES.entries()) {
    await relay.addChannel({
      ...{ type: one.type, baseUrl: `${url}/case/${i}`, key: keys.get(one.type) ?? "a-key" },
      ...{ models: nameOf(one), modelMapping: JSON.stringify({ [nameOf(one)]: one.model }) },
      ...{
        other: one.type === CHANNEL_TYPE.vertex ? "us-central1" : "",
        setting: JSON.stringify({ speaks_responses: true }),
      },
    });
  }
  await relay.inForce();
  key = (await relay.addCaller({ balance: 1_000_000_000 })).token.key;
}, 60_000);
afterAll(() => server.close());

const messages = [{ role: "user", content: "hi" }];
const limit = 5_000;

/** In each dialect: "do not think", and the words for it that clients have. */
const OFF: Readonly<Record<string, readonly [string, Json]>> = {
  "chat: reasoning_effort none": ["/v1/chat/completions", { messages, reasoning_effort: "none" }],
  "chat: thinking disabled": ["/v1/chat/completions", { messages, thinking: { type: "disabled" } }],
  "chat: enable_thinking false": ["/v1/chat/completions", { messages, enable_thinking: false }],
  "chat: reasoning effort none": ["/v1/chat/completions", { messages, reasoning: { effort: "none" } }],
  "Messages: thinking disabled": ["/v1/messages", { messages, max_tokens: limit, thinking: { type: "disabled" } }],
  "Responses: effort none": ["/v1/responses", { input: "hi", reasoning: { effort: "none" } }],
  "Gemini: thinkingBudget 0": ["gemini", { generationConfig: { thinkingConfig: { thinkingBudget: 0 } } }],
};
const ON: Readonly<Record<string, readonly [string, Json]>> = {
  "chat: reasoning_effort high": ["/v1/chat/completions", { messages, reasoning_effort: "high" }],
  "chat: enable_thinking true": ["/v1/chat/completions", { messages, enable_thinking: true }],
  "Messages: a budget": [
    "/v1/messages",
    { messages, max_tokens: limit, thinking: { type: "enabled", budget_tokens: 4_500 } },
  ],
  "Messages: adaptive": ["/v1/messages", { messages, max_tokens: limit, thinking: { type: "adaptive" } }],
  "Responses: effort high": ["/v1/responses", { input: "hi", reasoning: { effort: "high" } }],
  "Gemini: a budget": ["gemini", { generationConfig: { thinkingConfig: { thinkingBudget: 4_500 } } }],
};

async function ask(model: string, [path, body]: readonly [string, Json], isStream: boolean): Promise<Seen> {
  const isGemini = path === "gemini";
  const method = isStream ? "streamGenerateContent?alt=sse" : "generateContent";
  const contents = [{ role: "user", parts: [{ text: "hi" }] }];
  const before = seen.length;
  const reply = await fetch(relay.url + (isGemini ? `/v1beta/models/${encodeURIComponent(model)}:${method}` : path), {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${key}`,
      "x-goog-api-key": key,
      "x-api-key": key,
    },
    body: JSON.stringify(isGemini ? { contents, ...body } : { model, ...body, ...(isStream ? { stream: true } : {}) }),
  });
  const text = await reply.text();
  const [one] = seen.slice(before);
  if (!one) throw new Error(`nothing was asked: ${reply.status} ${text}`);
  return one;
}

/** Wishes of a caller in the provider's own language that the upstream answers itself. */
const isOwn = (wish: string, { maker }: Case): boolean => wish.startsWith("Gemini") && maker === "gemini";

describe.each(CASES.map((one) => [nameOf(one), one] as const))("%s", (name, one) => {
  test.each([false, true])(
    "does not think where its caller does not want it, in any dialect; streamed: %s",
    async (isStream) => {
      const expected = one.is === "always" ? "least" : "no";
      for (const [wish, request] of Object.entries(OFF)) {
        if (isOwn(wish, one)) continue;
        const { fault, thinks, body } = await ask(name, request, isStream);
        expect({ wish, fault, thinks, body }).toMatchObject({ wish, fault: "", thinks: expected });
      }
    },
  );

  test.each([false, true])("thinks where its caller wants it, in any dialect; streamed: %s", async (isStream) => {
    for (const [wish, request] of Object.entries(ON)) {
      if (isOwn(wish, one)) continue;
      const { fault, thinks, body } = await ask(name, request, isStream);
      const expected = one.is === "never" ? "no" : "yes";
      expect({ wish, fault, thinks, body }).toMatchObject({ wish, fault: "", thinks: expected });
    }
  });
});
