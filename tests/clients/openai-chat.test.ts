import OpenAI from "openai";
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

const clients = setUpClients();
const messages = [{ role: "user" as const, content: QUESTION }];
const tools = NAMES.map((name) => ({
  type: "function" as const,
  function: { name, parameters: PLACE, strict: true },
}));

async function newClient() {
  const { user, key } = await clients.newKey();
  return { user, openai: clients.clientFor(key) };
}

describe.each(upstreams)("OpenAI's client for chat completions, at an upstream that speaks %s", (_name, model) => {
  test("reads text, whole and streamed, for the same charge", async () => {
    const { user, openai } = await newClient();
    const whole = await openai.chat.completions.create({ model, messages });
    const options = { stream_options: { include_usage: true } };
    const streamed = await openai.chat.completions.stream({ model, messages, ...options }).finalChatCompletion();
    for (const { choices, usage } of [whole, streamed]) {
      expect(choices[0]).toMatchObject({ finish_reason: "stop", message: { role: "assistant", content: SENTENCE } });
      expect(usage).toMatchObject({ prompt_tokens: PROMPT_TOKENS, completion_tokens: COMPLETION_TOKENS });
    }
    await clients.expectCharged(user, 2);
  });

  test("calls tools at once, and gives their results back", async () => {
    const { user, openai } = await newClient();
    const whole = await openai.chat.completions.create({ model, messages, tools });
    const streamed = await openai.chat.completions.stream({ model, messages, tools }).finalChatCompletion();
    for (const { choices } of [whole, streamed]) {
      const [{ message, finish_reason: reason } = {}] = choices;
      const calls = message?.tool_calls ?? [];
      expect(reason).toBe("tool_calls");
      expect(calls).toMatchObject(NAMES.map((name) => ({ function: { name, arguments: '{"place":"Bern"}' } })));
      const results = calls.map(({ id }, i) => ({ role: "tool" as const, tool_call_id: id, content: `result ${i}` }));
      const history = [...messages, message as OpenAI.ChatCompletionMessageParam, ...results];
      const second = await openai.chat.completions.create({ model, messages: history, tools });
      expect(second.choices[0]?.message.content).toBe("Found: result 0, result 1");
    }
    await clients.expectCharged(user, 4);
  });

  test("runs tools by itself", async () => {
    const { openai } = await newClient();
    const run = { parse: JSON.parse, parameters: PLACE, description: "Tells the weather." };
    const look = async ({ place }: { place: string }) => `sunny in ${place}`;
    const runner = openai.chat.completions.runTools({
      ...{ model, messages, stream: true },
      tools: [{ type: "function", function: { ...run, name: "get_weather", function: look } }],
    });
    expect(await runner.finalContent()).toBe("Found: sunny in Bern");
  });

  test("forces a tool, and forbids them", async () => {
    const { openai } = await newClient();
    const choice = { type: "function" as const, function: { name: "get_time" } };
    const forced = await openai.chat.completions.create({ model, messages, tools, tool_choice: choice });
    expect(forced.choices[0]?.message.tool_calls).toMatchObject([{ function: { name: "get_time" } }]);
    const free = await openai.chat.completions.create({ model, messages, tools, tool_choice: "none" });
    expect(free.choices[0]?.message.content).toBe(SENTENCE);
  });

  test("shows a picture, and reads JSON of a schema", async () => {
    const { openai } = await newClient();
    const image = { type: "image_url" as const, image_url: { url: `data:image/png;base64,${PIXEL}` } };
    const shown = [{ role: "user" as const, content: [{ type: "text" as const, text: "What is it?" }, image] }];
    const seen = await openai.chat.completions.create({ model, messages: shown });
    expect(seen.choices[0]?.message.content).toBe("1 pictures");
    const schema = { name: "forecast", schema: FORECAST, strict: true };
    const format = { type: "json_schema" as const, json_schema: schema };
    const parsed = await openai.chat.completions.parse({ model, messages, response_format: format });
    expect(JSON.parse(parsed.choices[0]?.message.content ?? "")).toEqual(FORECASTED);
  });

  test("keeps thinking over turns with tools", async () => {
    const { openai } = await newClient();
    const request = { model, tools, reasoning_effort: "low" as const };
    const first = await openai.chat.completions.stream({ ...request, messages }).finalChatCompletion();
    const message = first.choices[0]?.message as OpenAI.ChatCompletionMessageParam & { tool_calls: { id: string }[] };
    expect(clients.lastAsked()?.isThinking).toBe(true);
    const results = message.tool_calls.map(({ id }) => ({ role: "tool" as const, tool_call_id: id, content: "ok" }));
    const history = [...messages, message, ...results];
    const second = await openai.chat.completions.create({ ...request, messages: history });
    expect(second.choices[0]?.message.content).toBe("Found: ok, ok");
  });

  test("throws its own errors", async () => {
    const { openai } = await newClient();
    const wrong = clients.clientFor("sk-wrong").chat.completions.create({ model, messages });
    await expect(wrong).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
    const bad = openai.chat.completions.create({ model, messages: "hi" as never });
    await expect(bad).rejects.toBeInstanceOf(OpenAI.BadRequestError);
    for (const stream of [false, true]) {
      const limited = openai.chat.completions.create({ model: `${model}-error-429`, messages, stream });
      await expect(limited).rejects.toBeInstanceOf(OpenAI.RateLimitError);
    }
  });

  test("leaves in mid-stream", async () => {
    const { user, openai } = await newClient();
    const stream = await openai.chat.completions.create({ model: `${model}-endless`, messages, stream: true });
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break;
    stream.controller.abort();
    await clients.expectBrokenOff(user);
  });
});
