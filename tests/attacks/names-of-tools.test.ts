// Tools of MCP servers have long names, and some have dots. OpenAI and others refuse a request with such a name, so that it
// is written anew for them, and the client gets its own name back.
import { expect, test } from "vitest";
import { type Json, readObject } from "@/lib/relay/wire/canonical/json";
import { parseJsonObject } from "@/lib/relay/wire/dialects/common/json-text";
import { setUpClients, upstreams } from "../clients/harness";

const relay = setUpClients();

const LONG = `mcp__knowledge_base_of_the_company__${"search_".repeat(6)}documents`;
const NAMES = ["docs.search", "docs_search", LONG];
const SCHEMA = { type: "object", properties: { place: { type: "string" } }, required: ["place"] };

type Caller = {
  path: (model: string, isStream: boolean) => string;
  body: (model: string, isStream: boolean) => Json;
};

const CALLERS: Readonly<Record<string, Caller>> = {
  "chat completions": {
    path: () => "/v1/chat/completions",
    body: (model, stream) => ({
      model,
      stream,
      messages: [{ role: "user", content: "Search" }],
      tools: NAMES.map((name) => ({ type: "function", function: { name, parameters: SCHEMA } })),
    }),
  },
  responses: {
    path: () => "/v1/responses",
    body: (model, stream) => ({
      model,
      stream,
      input: "Search",
      tools: NAMES.map((name) => ({ type: "function", name, parameters: SCHEMA })),
    }),
  },
  messages: {
    path: () => "/v1/messages",
    body: (model, stream) => ({
      model,
      stream,
      max_tokens: 500,
      messages: [{ role: "user", content: "Search" }],
      tools: NAMES.map((name) => ({ name, input_schema: SCHEMA })),
    }),
  },
  generateContent: {
    path: (model, isStream) =>
      `/v1beta/models/${model}:${isStream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    body: () => ({
      contents: [{ role: "user", parts: [{ text: "Search" }] }],
      tools: [{ functionDeclarations: NAMES.map((name) => ({ name, parametersJsonSchema: SCHEMA })) }],
    }),
  },
};

const OWN: Readonly<Record<string, string>> = {
  "chat completions": "gpt",
  messages: "claude",
  generateContent: "gemini",
};

const cases = Object.keys(CALLERS).flatMap((caller) =>
  upstreams.flatMap(([name, model]) =>
    model.startsWith(OWN[caller] ?? "-") ? [] : [true, false].map((isStream) => ({ caller, name, model, isStream })),
  ),
);

/** The names of all calls in an answer, whatever its format. */
function calledIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(calledIn);
  const given = readObject(value);
  const { type, name } = given;
  const isCall = type === "function_call" || type === "tool_use";
  const own = isCall && typeof name === "string" ? [name] : [];
  const inner = Object.entries(given).flatMap(([key, one]) => {
    const called = readObject(one).name;
    return (key === "function" || key === "functionCall") && typeof called === "string" ? [called] : calledIn(one);
  });
  // The settings of the request are no calls.
  return given.object === "response" ? calledIn(given.output) : [...own, ...inner];
}

test.each(cases)("$caller → $name: calls come back under the client's names (stream: $isStream)", async (given) => {
  const { path, body } = CALLERS[given.caller] as Caller;
  const { key, user } = await relay.newKey();
  const answer = await fetch(`${relay.url}${path(given.model, given.isStream)}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "x-goog-api-key": key, "content-type": "application/json" },
    body: JSON.stringify(body(given.model, given.isStream)),
  });
  const text = await answer.text();
  expect([answer.status, text]).toEqual([200, expect.any(String)]);
  const events = given.isStream ? text.split("\n").filter((line) => line.startsWith("data: {")) : [];
  const values = given.isStream ? events.map((line) => parseJsonObject(line.slice(6))) : [parseJsonObject(text)];
  expect(new Set(values.flatMap(calledIn))).toEqual(new Set(NAMES));
  const sent = relay.lastAsked()?.tools.map(({ name }) => name) ?? [];
  expect(sent).toHaveLength(NAMES.length);
  for (const name of sent) expect(name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/);
  await relay.expectCharged(user, 1);
});
