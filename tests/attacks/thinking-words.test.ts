// "Do not think" and "think", from callers of every dialect, at upstreams of every kind that knows the difference: each is
// told in its own word, and none gets a word that it would refuse.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { type Json, readObject } from "@/lib/relay/wire/canonical/json";
import { readChunksFixture, readJsonFixture } from "@/lib/testing/dialect-fixtures";
import { encodeFrames } from "@/lib/testing/encode-frames";
import { serviceAccount } from "@/lib/testing/service-account";
import { MAKERS, type Verdict } from "@/lib/testing/strict-upstream/makers";
import { setUpRelay } from "../relay/harness";
import { CASES, type Case, nameOf, PATHS } from "./thinking-cases";

vi.stubEnv("WEIR_EGRESS_ALLOW", "127.0.0.1");

/** `text`: of the body. */
type Seen = Verdict & { name: string; body: Json; text: string; format: string };
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
    const text = Buffer.concat(parts).toString("utf8");
    const body = readObject(JSON.parse(text));
    const isStream = body.stream === true || body.Stream === true || /stream/i.test(url);
    const verdict = one ? MAKERS[one.maker](one.model, body, isStream) : { fault: "no case", thinks: "yes" as const };
    seen.push({ ...verdict, body, text, format, name: one ? nameOf(one) : "" });
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

const limit = 5_000;

/** In each dialect: "do not think", and the words for it that clients have. */
const OFF: Readonly<Record<string, readonly [string, Json]>> = {
  "chat: reasoning_effort none": ["/v1/chat/completions", { reasoning_effort: "none" }],
  "chat: thinking disabled": ["/v1/chat/completions", { thinking: { type: "disabled" } }],
  "chat: enable_thinking false": ["/v1/chat/completions", { enable_thinking: false }],
  "chat: reasoning effort none": ["/v1/chat/completions", { reasoning: { effort: "none" } }],
  "Messages: thinking disabled": ["/v1/messages", { max_tokens: limit, thinking: { type: "disabled" } }],
  "Responses: effort none": ["/v1/responses", { reasoning: { effort: "none" } }],
  "Gemini: thinkingBudget 0": ["gemini", { generationConfig: { thinkingConfig: { thinkingBudget: 0 } } }],
};
const ON: Readonly<Record<string, readonly [string, Json]>> = {
  "chat: reasoning_effort high": ["/v1/chat/completions", { reasoning_effort: "high" }],
  "chat: enable_thinking true": ["/v1/chat/completions", { enable_thinking: true }],
  "Messages: a budget": ["/v1/messages", { max_tokens: limit, thinking: { type: "enabled", budget_tokens: 4_500 } }],
  "Messages: adaptive": ["/v1/messages", { max_tokens: limit, thinking: { type: "adaptive" } }],
  "Responses: effort high": ["/v1/responses", { reasoning: { effort: "high" } }],
  "Gemini: a budget": ["gemini", { generationConfig: { thinkingConfig: { thinkingBudget: 4_500 } } }],
};

let asked = 0;
const nextWords = (): string => {
  asked += 1;
  return `say hello ${asked}.`;
};

/** `said`: the last words of the user, by which the request is found again. */
async function ask(
  model: string,
  [path, body]: readonly [string, Json],
  isStream: boolean,
  said = nextWords(),
): Promise<Seen> {
  const isGemini = path === "gemini";
  const method = isStream ? "streamGenerateContent?alt=sse" : "generateContent";
  const own = isGemini
    ? { contents: [{ role: "user", parts: [{ text: said }] }] }
    : path === "/v1/responses"
      ? { model, input: said }
      : { model, messages: [{ role: "user", content: said }] };
  const reply = await fetch(relay.url + (isGemini ? `/v1beta/models/${encodeURIComponent(model)}:${method}` : path), {
    method: "POST",
    headers: {
      ...{
        "content-type": "application/json",
        authorization: `Bearer ${key}`,
        "x-goog-api-key": key,
        "x-api-key": key,
      },
    },
    body: JSON.stringify({ ...own, ...body, ...(isStream && !isGemini ? { stream: true } : {}) }),
  });
  const answer = await reply.text();
  // Nearly always the last one. What is said has no character that JSON writes in another way.
  const one = seen.findLast((sent) => sent.text.includes(said));
  if (!one) throw new Error(`nothing was asked: ${reply.status} ${answer}`);
  return one;
}

/** Requests in the provider's own language that it refuses go on as they are: Gemini's, and Qwen's that must be streamed. */
function isOwn(wish: string, { maker, model }: Case, isStream: boolean): boolean {
  if (wish.startsWith("Gemini")) return maker === "gemini";
  return model === "qwen3-32b" && wish === "chat: enable_thinking true" && !isStream;
}

test("every model is told to think, and not to, in its provider's own word, whatever dialect its caller speaks", async () => {
  const faults: unknown[] = [];
  for (const [at, one] of CASES.entries()) {
    const [off, on] = [one.is === "always" ? ["least"] : ["no"], one.is === "never" ? ["no"] : ["yes", "least"]];
    const wishes = [
      ...Object.entries(OFF).map((wish) => [...wish, off] as const),
      ...Object.entries(ON).map((wish) => [...wish, on] as const),
    ];
    await Promise.all(
      wishes.map(async ([wish, request, expected], i) => {
        const isStream = (i + at) % 2 === 0;
        if (isOwn(wish, one, isStream)) return;
        const { fault, thinks, body } = await ask(nameOf(one), request, isStream);
        if (fault !== "" || !expected.includes(thinks))
          faults.push({ name: nameOf(one), wish, fault, thinks, body: JSON.stringify(body).slice(0, 200) });
      }),
    );
  }
  expect(faults).toEqual([]);
}, 120_000);

const tool = { name: "look_up", description: "Looks it up", parameters: { type: "object", properties: {} } };
const chatTools = [{ type: "function", function: tool }];

test("no form of a usual request is refused by models that are newer than the table", async () => {
  const forms: readonly Json[] = [
    ...[{ max_tokens: 99 }, { temperature: 0.2 }, { top_p: 0.5 }, { presence_penalty: 1 }, { frequency_penalty: 1 }],
    ...[{ logprobs: true, top_logprobs: 2 }, { tools: chatTools }, { tools: chatTools, reasoning_effort: "high" }],
    ...[
      { tools: chatTools, max_tokens: 99, temperature: 0.2 },
      { reasoning_effort: "minimal" },
      { reasoning_effort: "max" },
    ],
    ...[{ reasoning_effort: "none", tools: chatTools, temperature: 0.2 }],
  ];
  const newest = CASES.filter(({ type, model }) => type === CHANNEL_TYPE.openai && /gpt-(5\.7|[67])/.test(model));
  expect(newest.length).toBeGreaterThan(4);
  const asking = newest.flatMap((one) =>
    forms.map(async (form, i) => {
      const { fault } = await ask(nameOf(one), ["/v1/chat/completions", form], i % 2 === 0);
      return { model: one.model, form, fault };
    }),
  );
  for (const result of await Promise.all(asking)) expect(result).toMatchObject({ fault: "" });
});

test("a call that Claude 5.5 and later cannot be forced to is asked for in words, in every dialect and cloud", async () => {
  const claudes = CASES.filter(({ model }) => /claude-(opus-5-5|opus-6|fable|mythos|sonnet-5-5)/.test(model));
  expect(new Set(claudes.map(({ type }) => type)).size).toBe(3);
  const declared = [{ name: tool.name, input_schema: tool.parameters }];
  const forced: readonly (readonly [string, Json])[] = [
    ["/v1/chat/completions", { tools: chatTools, tool_choice: "required", temperature: 0.3 }],
    ["/v1/chat/completions", { tools: chatTools, tool_choice: { type: "function", function: { name: tool.name } } }],
    ["/v1/messages", { max_tokens: 99, tools: declared, tool_choice: { type: "any" }, system: "Be kind." }],
    [
      "/v1/messages",
      { max_tokens: 99, tools: declared, tool_choice: { type: "tool", name: tool.name }, temperature: 0.3 },
    ],
    ["/v1/responses", { tools: [{ type: "function", ...tool }], tool_choice: "required" }],
    ["gemini", { tools: [{ functionDeclarations: [tool] }], toolConfig: { functionCallingConfig: { mode: "ANY" } } }],
  ];
  const asking = claudes.flatMap((one) =>
    forced.map(async (form, i) => {
      const { fault, body } = await ask(nameOf(one), form, i % 2 === 0);
      return { fault, system: JSON.stringify(body.system), model: one.model, form };
    }),
  );
  for (const result of await Promise.all(asking)) {
    expect(result).toMatchObject({ fault: "", system: expect.stringContaining("Answer with a call of") });
  }
});

/** A turn with a call, its answer, and then a new message of the user. */
const THOUGHT = "I must look it up first.";
const LATER = "I know it now.";
const HISTORIES: Readonly<Record<string, readonly [string, (said: string) => Json]>> = {
  chat: [
    "/v1/chat/completions",
    (said) => ({
      messages: [
        { role: "user", content: "where?" },
        {
          ...{ role: "assistant", content: null, reasoning_content: THOUGHT },
          tool_calls: [{ id: "call_1", type: "function", function: { name: "look_up", arguments: "{}" } }],
        },
        { role: "tool", tool_call_id: "call_1", content: "Bern" },
        { role: "assistant", content: "In Bern.", reasoning_content: LATER },
        { role: "user", content: said },
      ],
      tools: chatTools,
    }),
  ],
  "chat, as OpenRouter names thoughts": [
    "/v1/chat/completions",
    (said) => ({
      messages: [
        { role: "user", content: "where?" },
        {
          ...{ role: "assistant", content: null, reasoning: THOUGHT },
          tool_calls: [{ id: "call_1", type: "function", function: { name: "look_up", arguments: "{}" } }],
        },
        { role: "tool", tool_call_id: "call_1", content: "Bern" },
        { role: "assistant", content: "In Bern.", reasoning: LATER },
        { role: "user", content: said },
      ],
      tools: chatTools,
    }),
  ],
  Messages: [
    "/v1/messages",
    (said) => ({
      max_tokens: 99,
      messages: [
        { role: "user", content: "where?" },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: THOUGHT, signature: "" },
            { type: "tool_use", id: "call_1", name: "look_up", input: {} },
          ],
        },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1", content: "Bern" }] },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: LATER, signature: "" },
            { type: "text", text: "In Bern." },
          ],
        },
        { role: "user", content: said },
      ],
      tools: [{ name: tool.name, input_schema: tool.parameters }],
    }),
  ],
  Responses: [
    "/v1/responses",
    (said) => ({
      input: [
        { role: "user", content: "where?" },
        { type: "reasoning", summary: [{ type: "summary_text", text: THOUGHT }] },
        { type: "function_call", call_id: "call_1", name: "look_up", arguments: "{}" },
        { type: "function_call_output", call_id: "call_1", output: "Bern" },
        { type: "reasoning", summary: [{ type: "summary_text", text: LATER }] },
        { role: "assistant", content: "In Bern." },
        { role: "user", content: said },
      ],
      tools: [{ type: "function", ...tool }],
    }),
  ],
};

test("thoughts of turns with calls go back to DeepSeek and Kimi in all later requests, from every dialect", async () => {
  const wanted = CASES.filter(
    ({ maker, model }) =>
      /deepseek-(v4-pro|flash|v5)|kimi-k(2\.[56]|[34])/.test(model) && (maker === "deepseek" || maker === "moonshot"),
  );
  expect(wanted.length).toBeGreaterThan(5);
  const asking = wanted.flatMap((one) =>
    Object.entries(HISTORIES).map(async ([dialect, [path, history]], i) => {
      const said = `and where exactly, number ${one.model} ${i}?`;
      const { fault, body } = await ask(nameOf(one), [path, history(said)], i % 2 === 0, said);
      const thoughts = (body.messages as Json[]).flatMap(({ role, reasoning_content: text }) =>
        role === "assistant" ? [text] : [],
      );
      return { fault, thoughts, dialect, model: one.model };
    }),
  );
  for (const result of await Promise.all(asking))
    expect(result).toMatchObject({ fault: "", thoughts: [THOUGHT, LATER] });
});
