// Who: a caller whose request makes an upstream read or write far more than its body shows: tools that run there, stored
// answers, videos, documents, predicted text, many calls of functions. And an upstream that reports more than even that.
// What must hold: such usage is charged as it was reported, in every format, whole and streamed. Above what the request can
// have caused it is charged up to that bound, never replaced by a smaller count; the cost is booked as reported, and root is told.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { setUpRelay, until } from "../relay/harness";
import { type Json, type Script, startScriptedUpstream, type Wire } from "./scripted-upstream";

const CHAT = "gpt-4.1";
const CLAUDE = "claude-3-5-haiku-20241022";
const GEMINI = "gemini-2.0-flash";
const NAMES: Record<Wire, string> = { chat: CHAT, responses: CHAT, messages: CLAUDE, gemini: GEMINI };
const RICH = 10_000_000_000;

const relay = setUpRelay({ prices: `${CHAT},${CLAUDE},${GEMINI}` });
let upstream: Awaited<ReturnType<typeof startScriptedUpstream>>;

beforeAll(async () => {
  upstream = await startScriptedUpstream();
  const baseUrl = upstream.url;
  await relay.addChannel({ baseUrl, models: CHAT, setting: '{"speaks_responses":true}' });
  await relay.addChannel({ baseUrl, models: CLAUDE, type: 14 });
  await relay.addChannel({ baseUrl, models: GEMINI, type: 24 });
  await relay.inForce();
});
afterAll(() => upstream.close());

type Caller = Awaited<ReturnType<typeof relay.addCaller>>;

const plain: Record<Wire, Json> = {
  chat: { messages: [{ role: "user", content: "hi" }] },
  responses: { input: "hi" },
  messages: { max_tokens: 1_000, messages: [{ role: "user", content: "hi" }] },
  gemini: { contents: [{ role: "user", parts: [{ text: "hi" }] }] },
};

function request(wire: Wire, more: Json, isStream: boolean): { path: string; body: Json } {
  const model = NAMES[wire];
  const body = { ...plain[wire], ...more };
  if (wire === "gemini") {
    const method = isStream ? "streamGenerateContent?alt=sse" : "generateContent";
    return { path: `/v1beta/models/${model}:${method}`, body };
  }
  const path = { chat: "/v1/chat/completions", responses: "/v1/responses", messages: "/v1/messages" }[wire];
  return { path, body: { model, ...body, ...(isStream ? { stream: true } : {}) } };
}

async function ask({ token }: Caller, wire: Wire, more: Json, isStream: boolean) {
  const { path, body } = request(wire, more, isStream);
  const response = await fetch(`${relay.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token.key}` },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

/** The log row of one request of a caller who can pay for anything. */
async function charged(wire: Wire, more: Json, isStream: boolean, script: Script, caller?: Caller) {
  const rich = caller ?? (await relay.addCaller({ balance: RICH }));
  const before = (await relay.logsOf(rich.user)).length;
  upstream.script(() => script);
  expect(await ask(rich, wire, more, isStream)).toMatchObject({ status: 200 });
  await until(async () => (await relay.logsOf(rich.user)).length > before, 10_000);
  const rows = await relay.database.sql<{ cost: number | null; unknown: number }[]>`
    select cost, unknown_costs as unknown from usage_logs where user_id = ${rich.user} order by id desc limit 1`;
  const [log] = (await relay.logsOf(rich.user)).slice(-1);
  if (!log || !rows[0]) throw new Error("the request was not logged");
  return { ...log, ...rows[0] };
}

const mcp = Array.from({ length: 60 }, (_, at) => ({
  ...{ type: "mcp", server_label: `s${at}`, server_url: "https://mcp.weir.example", require_approval: "never" },
}));
const fetches = [{ type: "web_fetch_20250910", name: "web_fetch" }];
const pdf = Buffer.from("%PDF-1.7").toString("base64");
const inContents = (...parts: Json[]): Json => ({ contents: [{ role: "user", parts: [{ text: "hi" }, ...parts] }] });
const inMessages = (...parts: Json[]): Json => ({
  messages: [{ role: "user", content: [{ type: "text", text: "hi" }, ...parts] }],
});
const inInput = (...parts: Json[]): Json => ({
  input: [{ role: "user", content: [{ type: "input_text", text: "hi" }, ...parts] }],
});
const youtube = { fileData: { fileUri: "https://www.youtube.com/watch?v=9hE5-98ZeCg" } };
const video = { inlineData: { mimeType: "video/mp4", data: "AAAA" } };
const file = { filename: "a.pdf", file_data: `data:application/pdf;base64,${pdf}` };
const predicted = "const river = weir(1); ".repeat(4_000);
const twelve = Array.from({ length: 12 }, (_, at) => ({
  name: `read_temperature_${at}`,
  input: { at: `gauge ${at}` },
}));
const parameters = { type: "object", properties: { at: { type: "string" } } };
const functions = twelve.map(({ name }) => ({ name, parameters }));

const rows: readonly [what: string, wire: Wire, more: Json, script: Script][] = [
  ["60 mcp tools", "responses", { tools: mcp }, { prompt: 54_000_000, completion: 2 }],
  ["a search among tools", "responses", { tools: [{ type: "tool_search" }] }, { prompt: 60, completion: 500 }],
  [
    "a document by its address",
    "responses",
    inInput({ type: "input_file", file_url: "https://weir.example/a.pdf" }),
    { prompt: 400_000, completion: 2 },
  ],
  ["a document", "responses", inInput({ type: "input_file", ...file }), { prompt: 300_000, completion: 2 }],
  ["web_fetch", "messages", { tools: fetches }, { prompt: 675_900, completion: 2 }],
  [
    "web_fetch within its own limits",
    "messages",
    { tools: [{ ...fetches[0], max_uses: 3, max_content_tokens: 20_000 }] },
    { prompt: 120_000, completion: 2 },
  ],
  [
    "a server of tools",
    "messages",
    { mcp_servers: [{ type: "url", url: "https://mcp.weir.example", name: "s" }] },
    { prompt: 900_000, completion: 2 },
  ],
  [
    "a document by its address",
    "messages",
    inMessages({ type: "document", source: { type: "url", url: "https://weir.example/a.pdf" } }),
    { prompt: 180_000, completion: 2 },
  ],
  [
    "a document",
    "messages",
    inMessages({ type: "document", source: { type: "base64", media_type: "application/pdf", data: pdf } }),
    { prompt: 150_000, completion: 2 },
  ],
  ["a video at YouTube", "gemini", inContents(youtube), { prompt: 139_470, completion: 2 }],
  ["a video", "gemini", inContents(video), { prompt: 139_470, completion: 2 }],
  [
    "a document",
    "gemini",
    inContents({ inlineData: { mimeType: "application/pdf", data: pdf } }),
    { prompt: 258_000, completion: 2 },
  ],
  ["pages that Google reads", "gemini", { tools: [{ urlContext: {} }] }, { prompt: 400_000, completion: 2 }],
  ["code that Google runs", "gemini", { tools: [{ codeExecution: {} }] }, { prompt: 2_000_000, completion: 700 }],
  ["a prediction", "chat", { prediction: { type: "content", content: predicted } }, { prompt: 20, completion: 25_750 }],
  [
    "a prediction in parts",
    "chat",
    { prediction: { type: "content", content: [{ type: "text", text: predicted }] } },
    { prompt: 20, completion: 25_750 },
  ],
  ["a document", "chat", inMessages({ type: "file", file }), { prompt: 300_000, completion: 2 }],
  [
    "twelve calls",
    "chat",
    { tools: functions.map((one) => ({ type: "function", function: one })) },
    { prompt: 700, completion: 640, calls: twelve },
  ],
  [
    "twelve calls",
    "responses",
    { tools: functions.map((one) => ({ type: "function", ...one })) },
    { prompt: 700, completion: 640, calls: twelve },
  ],
  [
    "twelve calls",
    "messages",
    { tools: functions.map(({ name }) => ({ name, input_schema: parameters })) },
    { prompt: 700, completion: 640, calls: twelve },
  ],
  [
    "twelve calls",
    "gemini",
    { tools: [{ functionDeclarations: functions }] },
    { prompt: 700, completion: 640, calls: twelve },
  ],
];
const wires = ["chat", "responses", "messages", "gemini"] as const;

describe("usage that the body does not show is charged as reported", () => {
  test.each(wires)("%s, whole and streamed", async (asked) => {
    for (const [what, wire, more, script] of rows.filter((row) => row[1] === asked)) {
      for (const isStream of [false, true]) {
        const { prompt, completion, quota, other, cost, unknown } = await charged(wire, more, isStream, script);
        const due = script.prompt + 2 * script.completion;
        expect({ what, isStream, prompt, completion, quota, cost, unknown, rejected: other.usage_rejected }).toEqual({
          ...{ what, isStream, prompt: script.prompt, completion: script.completion },
          ...{ quota: due, cost: due, unknown: 0, rejected: undefined },
        });
      }
    }
  });

  test.each([false, true])("an answer that builds on a stored one, streamed: %s", async (isStream) => {
    const caller = await relay.addCaller({ balance: RICH });
    await charged("responses", { tools: mcp }, isStream, { prompt: 209_000, completion: 900 }, caller);
    const built = { previous_response_id: "resp_1", input: "and then?" };
    const log = await charged("responses", built, isStream, { prompt: 210_000, completion: 2 }, caller);
    expect([log.prompt, log.completion, log.other.usage_rejected]).toEqual([210_000, 2, undefined]);
  });

  test("items of different answers, made in one second and as long as each other", async () => {
    const caller = await relay.addCaller({ balance: RICH });
    upstream.script(() => ({ prompt: 50_000, completion: 900 }));
    for (let count = 0; count < 3; count++)
      expect(await ask(caller, "responses", {}, false)).toMatchObject({ status: 200 });
    const { sql } = relay.database;
    const items = () => sql<{ id: string; tokens: number }[]>`
      update upstream_objects set created_at = (select max(created_at) from upstream_objects where user_id = ${caller.user})
      where user_id = ${caller.user} and kind = 'item' returning object_id as id, tokens`;
    await until(async () => (await items()).length === 3, 10_000);
    const input = [
      ...(await items()).map(({ id }) => ({ type: "item_reference", id })),
      { role: "user", content: "and then?" },
    ];
    await until(async () => (await relay.logsOf(caller.user)).length === 3, 10_000);
    const log = await charged("responses", { input }, false, { prompt: 152_800, completion: 2 }, caller);
    expect([log.prompt, log.completion, log.other.usage_rejected]).toEqual([152_800, 2, undefined]);
  });
});

describe("usage above what a request can have caused", () => {
  const lie = { prompt: 900_000_000, completion: 900_000_000 };

  test.each(wires)("is charged up to the bound, marked, and costs what was reported: %s", async (wire) => {
    for (const isStream of [false, true]) {
      const { prompt, completion, quota, other, cost, unknown } = await charged(wire, {}, isStream, lie);
      const rejected = other.usage_rejected as Record<string, number>;
      expect(rejected).toMatchObject({ prompt_tokens: lie.prompt, completion_tokens: lie.completion });
      expect([prompt, completion]).toEqual([rejected.prompt_tokens_max, rejected.completion_tokens_max]);
      expect(prompt).toBeLessThan(4_096 + 500);
      expect(completion).toBeLessThan(200);
      expect(quota).toBe(prompt + 2 * completion);
      expect({ cost, unknown, outcome: other.outcome }).toEqual({ cost: 2_700_000_000, unknown: 0, outcome: "usage" });
    }
  });

  test("root is told of the channel", async () => {
    const root = await relay.addUser({ role: 100 });
    const channel = await relay.addChannel({ baseUrl: upstream.url, models: "gpt-4.1-mini" });
    await relay.setPrices(`${CHAT},${CLAUDE},${GEMINI},gpt-4.1-mini`);
    await relay.inForce();
    const { token } = await relay.addCaller({ balance: RICH });
    upstream.script(() => lie);
    await relay.post(token.key, JSON.stringify({ model: "gpt-4.1-mini", ...plain.chat }));
    const told = () => relay.database.sql`
      select params from notifications where user_id = ${root} and event = 'usage_bounded'`;
    await until(async () => (await told()).some(({ params }) => params.channelId === channel), 10_000);
    const params = (await told()).map((row) => row.params).find(({ channelId }) => channelId === channel);
    expect(params).toMatchObject({ model: "gpt-4.1-mini", prompt: lie.prompt, completion: lie.completion });
  });
});
