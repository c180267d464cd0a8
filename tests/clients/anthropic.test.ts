import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, test } from "vitest";
import {
  COMPLETION_TOKENS,
  collect,
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
const messages = [question];
const max_tokens = 4_000;
const tools = NAMES.map((name) => ({ name, input_schema: PLACE }));

const clientFor = (apiKey: string) => new Anthropic({ apiKey, authToken: null, baseURL: clients.url, maxRetries: 0 });

async function newClient() {
  const { user, key } = await clients.newKey();
  return { user, claude: clientFor(key) };
}

const textOf = ({ content }: Anthropic.Message) =>
  content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("");
const usesOf = ({ content }: Anthropic.Message) => content.filter((block) => block.type === "tool_use");

/** The conversation with this answer and the results of its calls. */
function withResults(answer: Anthropic.Message): Anthropic.MessageParam[] {
  const results = usesOf(answer).map(({ id }) => ({ type: "tool_result" as const, tool_use_id: id, content: "ok" }));
  return [question, { role: "assistant", content: answer.content }, { role: "user", content: results }];
}

describe.each(upstreams)("Anthropic's client, at an upstream that speaks %s", (_name, model) => {
  test("reads text, whole and streamed, for the same charge", async () => {
    const { user, claude } = await newClient();
    const whole = await claude.messages.create({ model, max_tokens, messages, system: "Be brief." });
    expect(clients.lastAsked()?.system).toBe("Be brief.");
    const streamed = await claude.messages.stream({ model, max_tokens, messages }).finalMessage();
    for (const answer of [whole, streamed]) {
      expect(answer).toMatchObject({ type: "message", role: "assistant", stop_reason: "end_turn" });
      expect(textOf(answer)).toBe(SENTENCE);
      expect(answer.usage).toMatchObject({ input_tokens: PROMPT_TOKENS, output_tokens: COMPLETION_TOKENS });
    }
    await clients.expectCharged(user, 2);
  });

  test("calls tools at once, and gives their results back", async () => {
    const { user, claude } = await newClient();
    const request = { model, max_tokens, tools };
    const whole = await claude.messages.create({ ...request, messages });
    const streamed = await claude.messages.stream({ ...request, messages }).finalMessage();
    for (const answer of [whole, streamed]) {
      expect(answer.stop_reason).toBe("tool_use");
      expect(usesOf(answer)).toMatchObject(NAMES.map((name) => ({ name, input: { place: "Bern" } })));
      const second = await claude.messages.create({ ...request, messages: withResults(answer) });
      expect(textOf(second)).toBe("Found: ok, ok");
    }
    await clients.expectCharged(user, 4);
  });

  test("shows a picture, and reads JSON of a schema", async () => {
    const { claude } = await newClient();
    const source = { type: "base64" as const, media_type: "image/png" as const, data: PIXEL };
    const shown = [{ role: "user" as const, content: [{ type: "image" as const, source }] }];
    expect(textOf(await claude.messages.create({ model, max_tokens, messages: shown }))).toBe("1 pictures");
    const format = { type: "json_schema" as const, schema: FORECAST };
    const parsed = await claude.messages.create({ model, max_tokens, messages, output_config: { format } });
    expect(JSON.parse(textOf(parsed))).toEqual(FORECASTED);
  });

  test("keeps thinking over turns with tools", async () => {
    const { claude } = await newClient();
    const thinking = { type: "enabled" as const, budget_tokens: 2_000 };
    const request = { model, max_tokens, tools, thinking };
    const whole = await claude.messages.create({ ...request, messages });
    const streamed = await claude.messages.stream({ ...request, messages }).finalMessage();
    for (const answer of [whole, streamed]) {
      expect(answer.content[0]).toMatchObject({ type: "thinking", thinking: THOUGHT });
      const second = await claude.messages.create({ ...request, messages: withResults(answer) });
      expect(textOf(second)).toBe("Found: ok, ok");
      expect(clients.lastAsked()?.isThinking).toBe(true);
    }
  });

  test("throws its own errors", async () => {
    const { claude } = await newClient();
    const request = { model, max_tokens, messages };
    await expect(clientFor("sk-wrong").messages.create(request)).rejects.toBeInstanceOf(Anthropic.AuthenticationError);
    const bad = claude.messages.create({ ...request, max_tokens: -1 });
    await expect(bad).rejects.toBeInstanceOf(Anthropic.BadRequestError);
    for (const stream of [false, true]) {
      const limited = claude.messages.create({ ...request, model: `${model}-error-429`, stream });
      await expect(limited).rejects.toBeInstanceOf(Anthropic.RateLimitError);
      await expect(limited).rejects.toMatchObject({ error: { error: { type: "rate_limit_error" } } });
    }
  });

  test("leaves in mid-stream", async () => {
    const { user, claude } = await newClient();
    const stream = await claude.messages.create({ model: `${model}-endless`, max_tokens, messages, stream: true });
    for await (const event of stream) if (event.type === "content_block_delta") break;
    stream.controller.abort();
    await clients.expectBrokenOff(user);
  });

  test("reads the raw events in their order", async () => {
    const { claude } = await newClient();
    const events = await collect(await claude.messages.create({ model, max_tokens, messages, stream: true }));
    const kinds = events.map(({ type }) => type).filter((type) => type !== "content_block_delta");
    const frame = ["message_start", "content_block_start", "content_block_stop", "message_delta", "message_stop"];
    expect(kinds).toEqual(frame);
  });
});
