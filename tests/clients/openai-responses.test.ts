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
  THOUGHT,
  upstreams,
} from "./harness";

const clients = setUpClients();
const question = { role: "user" as const, content: QUESTION };
const tools = NAMES.map((name) => ({ type: "function" as const, name, parameters: PLACE, strict: true }));
const unstored = { store: false, include: ["reasoning.encrypted_content" as const] };

async function newClient() {
  const { user, key } = await clients.newKey();
  return { user, openai: clients.clientFor(key) };
}

type Calls = OpenAI.Responses.ResponseFunctionToolCall[];
const callsOf = ({ output }: { output: { type: string }[] }) =>
  output.filter(({ type }) => type === "function_call") as Calls;
const resultsOf = (calls: Calls) =>
  calls.map(({ call_id: id }) => ({ type: "function_call_output" as const, call_id: id, output: "ok" }));

describe.each(upstreams)("OpenAI's client for responses, at an upstream that speaks %s", (_name, model) => {
  test("reads text, whole and streamed, for the same charge", async () => {
    const { user, openai } = await newClient();
    const request = { model, input: QUESTION, ...unstored };
    const whole = await openai.responses.create(request);
    const streamed = await openai.responses.stream(request).finalResponse();
    for (const answer of [whole, streamed]) {
      expect(answer).toMatchObject({ status: "completed", output_text: SENTENCE, store: false, model });
      expect(answer.usage).toMatchObject({ input_tokens: PROMPT_TOKENS, output_tokens: COMPLETION_TOKENS });
    }
    await clients.expectCharged(user, 2);
  });

  test("calls tools at once, and gives their results back", async () => {
    const { user, openai } = await newClient();
    const request = { model, tools, ...unstored };
    const whole = await openai.responses.create({ ...request, input: [question] });
    const streamed = await openai.responses.stream({ ...request, input: [question] }).finalResponse();
    for (const answer of [whole, streamed]) {
      const calls = callsOf(answer);
      expect(calls).toMatchObject(NAMES.map((name) => ({ name, arguments: '{"place":"Bern"}' })));
      const input = [question, ...answer.output, ...resultsOf(calls)] as OpenAI.Responses.ResponseInput;
      const second = await openai.responses.create({ ...request, input });
      expect(second.output_text).toBe("Found: ok, ok");
    }
    await clients.expectCharged(user, 4);
  });

  test("shows a picture, and reads JSON of a schema", async () => {
    const { openai } = await newClient();
    const image_url = `data:image/png;base64,${PIXEL}`;
    const content = [{ type: "input_image" as const, detail: "auto" as const, image_url }];
    const seen = await openai.responses.create({ model, input: [{ role: "user", content }] });
    expect(seen.output_text).toBe("1 pictures");
    const format = { type: "json_schema" as const, name: "forecast", schema: FORECAST, strict: true };
    const parsed = await openai.responses.parse({ model, input: QUESTION, text: { format } });
    expect(JSON.parse(parsed.output_text)).toEqual(FORECASTED);
  });

  test("keeps thinking over turns with tools", async () => {
    const { openai } = await newClient();
    const request = { model, tools, ...unstored, reasoning: { effort: "low" as const, summary: "auto" as const } };
    for (const isStream of [false, true]) {
      const asked = { ...request, input: [question] };
      const first = isStream
        ? await openai.responses.stream(asked).finalResponse()
        : await openai.responses.create(asked);
      expect(clients.lastAsked()?.isThinking).toBe(true);
      const [thought] = first.output;
      expect(thought).toMatchObject({ type: "reasoning", summary: [{ text: THOUGHT }] });
      const input = [question, ...first.output, ...resultsOf(callsOf(first))] as OpenAI.Responses.ResponseInput;
      const second = await openai.responses.create({ ...request, input });
      expect(second.output_text).toBe("Found: ok, ok");
    }
  });

  test("throws its own errors", async () => {
    const { openai } = await newClient();
    const wrong = clients.clientFor("sk-wrong").responses.create({ model, input: QUESTION });
    await expect(wrong).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
    const stored = openai.responses.create({ model, input: QUESTION, previous_response_id: "resp_1" });
    await expect(stored).rejects.toBeInstanceOf(OpenAI.BadRequestError);
    await expect(stored).rejects.toMatchObject({ param: "previous_response_id" });
    for (const stream of [false, true]) {
      const limited = openai.responses.create({ model: `${model}-error-429`, input: QUESTION, stream });
      await expect(limited).rejects.toBeInstanceOf(OpenAI.RateLimitError);
    }
  });

  test("leaves in mid-stream", async () => {
    const { user, openai } = await newClient();
    const stream = await openai.responses.create({ model: `${model}-endless`, input: QUESTION, stream: true });
    for await (const event of stream) if (event.type === "response.output_text.delta") break;
    stream.controller.abort();
    await clients.expectBrokenOff(user);
  });
});
