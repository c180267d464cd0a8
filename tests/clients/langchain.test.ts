import { ChatAnthropic } from "@langchain/anthropic";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { type AIMessage, type AIMessageChunk, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { ChatGoogleGenerativeAI } from "@langchain/google-genai";
import { ChatOpenAI } from "@langchain/openai";
import { describe, expect, test } from "vitest";
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
  upstreams,
} from "./harness";

type Connect = (apiKey: string, model: string) => BaseChatModel;

const clients = setUpClients();
const openai = (useResponsesApi: boolean): Connect => {
  return (apiKey, model) =>
    new ChatOpenAI({ apiKey, model, useResponsesApi, maxRetries: 0, configuration: { baseURL: `${clients.url}/v1` } });
};
const connections: readonly (readonly [string, Connect])[] = [
  ["ChatOpenAI", openai(false)],
  ["ChatOpenAI with responses", openai(true)],
  [
    "ChatAnthropic",
    (apiKey, model) => new ChatAnthropic({ apiKey, model, anthropicApiUrl: clients.url, maxRetries: 0 }),
  ],
  [
    "ChatGoogleGenerativeAI",
    (apiKey, model) => new ChatGoogleGenerativeAI({ apiKey, model, baseUrl: clients.url, maxRetries: 0 }),
  ],
];
const pairs = connections.flatMap(([client, connect]) =>
  upstreams.map(([upstream, model]) => [client, upstream, { connect, model }] as const),
);
const tools = NAMES.map((name) => ({ name, description: name, schema: PLACE }));

describe.each(pairs)("LangChain's %s, at an upstream that speaks %s", (client, _upstream, { connect, model }) => {
  async function newCaller(named: string = model) {
    const { user, key } = await clients.newKey();
    return { user, chat: connect(key, named) };
  }

  test("reads text, whole and streamed, for the same charge", async () => {
    const { user, chat } = await newCaller();
    const whole = await chat.invoke(QUESTION);
    expect(whole.text).toBe(SENTENCE);
    const used = { input_tokens: PROMPT_TOKENS, output_tokens: COMPLETION_TOKENS };
    expect((whole as AIMessage).usage_metadata).toMatchObject(used);
    let text = "";
    for await (const chunk of await chat.stream(QUESTION)) text += chunk.text;
    expect(text).toBe(SENTENCE);
    await clients.expectCharged(user, 2);
  });

  test("calls tools at once, and gives their results back", async () => {
    const { user, chat } = await newCaller();
    const bound = chat.bindTools?.(tools) ?? chat;
    const question = new HumanMessage(QUESTION);
    const whole: AIMessageChunk = (await bound.invoke([question])) as AIMessageChunk;
    let streamed: AIMessageChunk | undefined;
    for await (const chunk of await bound.stream([question])) {
      const piece = chunk as AIMessageChunk;
      streamed = streamed ? streamed.concat(piece) : piece;
    }
    for (const answer of [whole, streamed as AIMessageChunk]) {
      const calls = answer.tool_calls ?? [];
      expect(calls).toMatchObject(NAMES.map((name) => ({ name, args: { place: "Bern" } })));
      const results = calls.map(({ id = "", name }) => new ToolMessage({ tool_call_id: id, name, content: "ok" }));
      const second = await bound.invoke([question, answer, ...results]);
      expect((second as AIMessage).text).toBe("Found: ok, ok");
    }
    await clients.expectCharged(user, 4);
  });

  test("shows a picture, and reads structured output", async () => {
    const { chat } = await newCaller();
    // Google's one shows pictures to models with Google's names only.
    const isBlind = client === "ChatGoogleGenerativeAI" && !model.startsWith("gemini");
    const image = { type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}` } };
    const shown = new HumanMessage({ content: [{ type: "text", text: "What is it?" }, image] });
    if (!isBlind) expect((await chat.invoke([shown])).text).toBe("1 pictures");
    const structured = chat.withStructuredOutput({ ...FORECAST, title: "forecast" });
    expect(await structured.invoke(QUESTION)).toEqual(FORECASTED);
  });

  test("throws errors with the status", async () => {
    const { chat } = await newCaller(`${model}-error-429`);
    await expect(chat.invoke(QUESTION)).rejects.toMatchObject({ status: 429 });
    await expect(connect("sk-wrong", model).invoke(QUESTION)).rejects.toMatchObject({ status: 401 });
  });
});

// Google's one leaves a rejected promise behind, which nobody can catch.
const leaving = pairs.filter(([client]) => client !== "ChatGoogleGenerativeAI");

test.each(leaving)("LangChain's %s leaves in mid-stream, at an upstream that speaks %s", async (...given) => {
  const [, , { connect, model }] = given;
  const { user, key } = await clients.newKey();
  const control = new AbortController();
  const stream = async () => connect(key, `${model}-endless`).stream(QUESTION, { signal: control.signal });
  const read = async () => {
    for await (const chunk of await stream()) if (chunk.text) control.abort();
  };
  await expect(read()).rejects.toThrow();
  await clients.expectBrokenOff(user);
});
