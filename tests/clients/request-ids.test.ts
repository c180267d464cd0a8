import Anthropic, { APIError as AnthropicError } from "@anthropic-ai/sdk";
import OpenAI, { APIError as OpenAIError } from "openai";
import { describe, expect, test } from "vitest";
import { setUpClients, upstreams } from "./harness";

const clients = setUpClients();
const messages = [{ role: "user" as const, content: "hi" }];
const ID = /^[0-9a-f-]{36}$/;

async function newClients() {
  const { key } = await clients.newKey();
  const openai = new OpenAI({ apiKey: key, baseURL: `${clients.url}/v1`, maxRetries: 0 });
  const claude = new Anthropic({ apiKey: key, authToken: null, baseURL: clients.url, maxRetries: 0 });
  return { key, openai, claude };
}

describe.each(upstreams)("official clients, at an upstream that speaks %s", (_name, model) => {
  test("find the id of their request, whole, streamed and refused, and it is that of the log", async () => {
    const { openai, claude } = await newClients();
    const chat = await openai.chat.completions.create({ model, messages });
    const answer = await openai.responses.create({ model, input: "hi" });
    const message = await claude.messages.create({ model, max_tokens: 100, messages });
    const stream = claude.messages.stream({ model, max_tokens: 100, messages });
    await stream.finalMessage();
    const ids = [chat._request_id, answer._request_id, message._request_id, stream.request_id];
    for (const id of ids) expect(id).toMatch(ID);
    const { sql } = clients.database;
    const rows = await sql`select 1 from usage_logs where request_id in ${sql(ids.map(String))}`;
    expect(rows.length).toBe(4);
    const refused = await openai.chat.completions.create({ model: "nobody", messages }).catch((error) => error);
    expect(refused).toBeInstanceOf(OpenAIError);
    expect(refused.requestID).toMatch(ID);
    const other = await claude.messages.create({ model: "nobody", max_tokens: 9, messages }).catch((error) => error);
    expect(other).toBeInstanceOf(AnthropicError);
    expect(other.requestID).toMatch(ID);
  });

  test("are told that a thread cannot be used, in the words upon which they send the whole conversation", async () => {
    const { key, claude } = await newClients();
    const refused = await claude.beta.messages
      .create({ model, max_tokens: 100, messages, thread: { type: "create" } })
      .catch((error) => error);
    expect(refused).toMatchObject({ status: 400, errorCode: "thread_unsupported_request" });
    // Google's clients read the header too.
    const url = `${clients.url}/v1beta/models/${model}:generateContent`;
    const body = JSON.stringify({ contents: [{ parts: [{ text: "hi" }] }] });
    const reply = await fetch(url, { method: "POST", headers: { "x-goog-api-key": key }, body });
    expect(reply.headers.get("x-request-id")).toBe(reply.headers.get("x-oneapi-request-id"));
    await reply.text();
  });
});

test("Anthropic's tool runner goes on by itself with the whole conversation", async () => {
  const [, model] = upstreams[0] ?? ["", ""];
  const { claude } = await newClients();
  const runner = claude.beta.messages.toolRunner({ model, max_tokens: 100, messages, tools: [] });
  const last = await runner;
  expect(last.role).toBe("assistant");
});
