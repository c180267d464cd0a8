import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import {
  APICallError,
  generateText,
  jsonSchema,
  type LanguageModel,
  type ModelMessage,
  Output,
  stepCountIs,
  streamText,
  tool,
} from "ai";
import { beforeAll, describe, expect, test } from "vitest";
import {
  COMPLETION_TOKENS,
  FORECAST,
  FORECASTED,
  NAMES,
  PIXEL,
  PLACE,
  PROMPT_TOKENS,
  QUESTION,
  SENTENCE,
  setUpClients,
  THOUGHT,
  upstreams,
} from "./harness";

type Connect = (apiKey: string) => (model: string) => LanguageModel;

const clients = setUpClients();
const providers: readonly (readonly [string, Connect])[] = [
  ["openai.chat", (apiKey) => createOpenAI({ apiKey, baseURL: `${clients.url}/v1` }).chat],
  ["openai.responses", (apiKey) => createOpenAI({ apiKey, baseURL: `${clients.url}/v1` }).responses],
  ["anthropic", (apiKey) => createAnthropic({ apiKey, baseURL: `${clients.url}/v1` })],
  ["google", (apiKey) => createGoogleGenerativeAI({ apiKey, baseURL: `${clients.url}/v1beta` })],
];
const pairs = providers.flatMap(([provider, connect]) =>
  upstreams.map(([upstream, model]) => [provider, upstream, { connect, model, provider }] as const),
);

const tools = Object.fromEntries(
  NAMES.map((name) => {
    const inputSchema = jsonSchema<{ place: string }>(PLACE);
    return [name, tool({ description: name, inputSchema, execute: async ({ place }) => `${name} in ${place}` })];
  }),
);
const prompt = QUESTION;
const stopWhen = stepCountIs(3);
/** Asks for thoughts in the way of each provider. */
const thinking = {
  // The provider knows only OpenAI's models.
  openai: { reasoningEffort: "low", reasoningSummary: "auto", store: false, forceReasoning: true },
  anthropic: { thinking: { type: "enabled", budgetTokens: 2_000 } },
  google: { thinkingConfig: { includeThoughts: true, thinkingLevel: "low" } },
};

// It warns of models that a provider does not know.
beforeAll(() => void Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false }));

describe.each(pairs)(
  "the ai package with %s, at an upstream that speaks %s",
  (_p, _u, { connect, model, provider }) => {
    async function newCaller() {
      const { user, key } = await clients.newKey();
      return { user, named: connect(key) };
    }

    test("reads text, whole and streamed, for the same charge", async () => {
      const { user, named } = await newCaller();
      const whole = await generateText({ model: named(model), system: "Be brief.", prompt });
      expect(clients.lastAsked()?.system).toBe("Be brief.");
      const streamed = streamText({ model: named(model), prompt });
      expect([whole.text, await streamed.text]).toEqual([SENTENCE, SENTENCE]);
      expect([whole.finishReason, await streamed.finishReason]).toEqual(["stop", "stop"]);
      const used = { inputTokens: PROMPT_TOKENS, outputTokens: COMPLETION_TOKENS };
      expect([whole.usage, await streamed.usage]).toMatchObject([used, used]);
      await clients.expectCharged(user, 2);
    });

    test("runs tools over turns, whole and streamed, with thoughts kept", async () => {
      const { user, named } = await newCaller();
      const request = { model: named(model), tools, prompt, stopWhen, providerOptions: thinking };
      const whole = await generateText(request);
      const streamed = streamText(request);
      const found = "Found: get_weather in Bern, get_time in Bern";
      expect([whole.text, await streamed.text]).toEqual([found, found]);
      const [first] = whole.steps;
      expect(first?.toolCalls.map(({ toolName }) => toolName)).toEqual([...NAMES]);
      // Its chat completions have no words for thoughts.
      if (provider !== "openai.chat") {
        expect(clients.lastAsked()?.isThinking).toBe(true);
        expect(first?.reasoningText).toBe(THOUGHT);
      }
      await clients.expectCharged(user, 4);
    });

    test("shows a picture, and reads an object", async () => {
      const { named } = await newCaller();
      const image = `data:image/png;base64,${PIXEL}`;
      const messages: ModelMessage[] = [{ role: "user", content: [{ type: "image", image }] }];
      expect((await generateText({ model: named(model), messages })).text).toBe("1 pictures");
      const output = Output.object({ schema: jsonSchema<typeof FORECASTED>(FORECAST) });
      expect((await generateText({ model: named(model), prompt, output })).output).toEqual(FORECASTED);
      expect(await streamText({ model: named(model), prompt, output }).output).toEqual(FORECASTED);
    });

    test("throws its own errors", async () => {
      const { named } = await newCaller();
      const failing = { prompt, maxRetries: 0 };
      const statusOf = async (given: LanguageModel, more = {}) => {
        const error: unknown = await generateText({ ...failing, ...more, model: given }).catch((reason) => reason);
        return APICallError.isInstance(error) ? error.statusCode : error;
      };
      expect(await statusOf(connect("sk-wrong")(model))).toBe(401);
      expect(await statusOf(named("no-such-model"))).toBeGreaterThanOrEqual(400);
      expect(await statusOf(named(`${model}-error-429`))).toBe(429);
    });

    test("leaves in mid-stream", async () => {
      const { user, named } = await newCaller();
      const control = new AbortController();
      const { textStream } = streamText({ model: named(`${model}-endless`), prompt, abortSignal: control.signal });
      for await (const _ of textStream) control.abort();
      await clients.expectBrokenOff(user);
    });
  },
);
