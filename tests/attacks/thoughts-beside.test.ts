// Who: providers that leave thoughts out of the count of a completion (xAI, Perplexity, Gemini behind gateways), at a channel of any
// type that speaks OpenAI's formats; batches, whose answers come in a file; the test of a channel.
// What must hold: thoughts are charged once, whether they stand beside the completion or within it, whole and streamed.
import { afterAll, beforeAll, expect, test } from "vitest";
import { runChannelTest } from "@/lib/channel/test-commands";
import { pollOpen } from "@/lib/jobs/poll-open-charges";
import type { UpstreamRow } from "@/lib/relay/providers/channel-type";
import { rows } from "@/lib/relay/providers/rows";
import { startFakeStorage } from "@/lib/testing/fake-storage";
import { type ChangeAnswer, type FixtureUpstream, startFixtureUpstream } from "@/lib/testing/fixture-upstream";
import { setUpRelay, until } from "../relay/harness";

type Json = Record<string, unknown>;

/** The ways to say that 300 tokens were thought and 10 written. */
const WAYS: Readonly<Record<string, Json>> = {
  "beside-by-total": {
    ...{ prompt_tokens: 40, completion_tokens: 10, total_tokens: 350 },
    completion_tokens_details: { reasoning_tokens: 300 },
  },
  "beside-without-total": {
    ...{ prompt_tokens: 40, completion_tokens: 10 },
    completion_tokens_details: { reasoning_tokens: 300 },
  },
  "beside-with-a-wrong-total": {
    ...{ prompt_tokens: 40, completion_tokens: 10, total_tokens: 50 },
    completion_tokens_details: { reasoning_tokens: 300 },
  },
  "beside-at-the-top": { prompt_tokens: 40, completion_tokens: 10, total_tokens: 50, reasoning_tokens: 300 },
  "in-the-total-alone": { prompt_tokens: 40, completion_tokens: 10, total_tokens: 350 },
  within: {
    ...{ prompt_tokens: 40, completion_tokens: 310, total_tokens: 350 },
    completion_tokens_details: { reasoning_tokens: 300 },
  },
  "within-at-the-top": { prompt_tokens: 40, completion_tokens: 310, total_tokens: 350, reasoning_tokens: 300 },
};
const WAY_NAMES = Object.keys(WAYS);
/** One quota for a token of the prompt, two for one of the completion. */
const DUE = 40 + 2 * 310;

const formatOf = ({ dialect, baseUrl }: UpstreamRow): string | null =>
  typeof dialect === "function" ? dialect("of-a-test", baseUrl) : dialect;
/** Vertex asks for a service account, and has this format for its partners' models alone. */
const types = [...rows.values()].filter(
  (row) => formatOf(row) === "openai-chat" && row.retired === undefined && !row.editor.isKeyDocument,
);
const OTHERS: ReadonlyMap<string, string> = new Map([["account", "account"]]);
/** The name of a model says how its upstream counts. */
const modelOf = (kind: string, way: string): string => `${kind}.way.${way}.end`;
const ofType = ({ id }: UpstreamRow): string => `type-${id}`;
const RESPONSES = "o3-pro-thoughts";
const TESTED = "tested";
const BATCHED = "thoughts-in-a-batch";
const allOf = (kind: string): string => WAY_NAMES.map((way) => modelOf(kind, way)).join(",");
const models = [
  ...[...types.map(ofType), RESPONSES, TESTED].flatMap((kind) => WAY_NAMES.map((way) => modelOf(kind, way))),
  BATCHED,
];

const relay = setUpRelay({ prices: models.join(","), options: { DefaultMaxOutput: "2000" } });
let upstream: FixtureUpstream;

const thoughtful: ChangeAnswer = (json, { format, text }) => {
  const usage = WAYS[/\.way\.([a-z-]+)\.end/.exec(text)?.[1] ?? ""] ?? {};
  return withUsage(json, format === "openai-chat" ? usage : asResponses(usage));
};

function asResponses(usage: Json): Json {
  const names: Readonly<Record<string, string>> = {
    prompt_tokens: "input_tokens",
    completion_tokens: "output_tokens",
    completion_tokens_details: "output_tokens_details",
  };
  return Object.fromEntries(Object.entries(usage).map(([name, value]) => [names[name] ?? name, value]));
}

function withUsage(value: unknown, usage: Json): unknown {
  if (Array.isArray(value)) return value.map((item) => withUsage(item, usage));
  if (typeof value !== "object" || value === null) return value;
  const given = Object.entries(value).map(([name, inner]) => [
    name,
    name === "usage" && inner ? usage : withUsage(inner, usage),
  ]);
  return Object.fromEntries(given);
}

beforeAll(async () => {
  upstream = await startFixtureUpstream(thoughtful);
  for (const row of types) {
    const { keyParts, other } = row.editor;
    await relay.addChannel({
      ...{ type: row.id, key: keyParts.join("|") || "a-key", other: OTHERS.get(other) ?? "" },
      ...{ baseUrl: `${upstream.url}/f/openai-chat/text`, models: allOf(ofType(row)) },
    });
  }
  const baseUrl = `${upstream.url}/f/openai-responses/text`;
  await relay.addChannel({ baseUrl, models: allOf(RESPONSES), setting: '{"speaks_responses":true}' });
  await relay.inForce();
});
afterAll(() => upstream.close());

async function ask(key: string, path: string, body: Json): Promise<void> {
  const response = await fetch(`${relay.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${body.model}: ${response.status} ${text}`);
}

test("thoughts are charged once at channels of every type that speaks OpenAI's formats", async () => {
  expect(types.length).toBeGreaterThan(20);
  const { user, token } = await relay.addCaller({ balance: 1_000_000_000 });
  const messages = [{ role: "user", content: "Say hello" }];
  const asked = [true, false].flatMap((stream) => [
    ...types.flatMap((row) =>
      WAY_NAMES.map((way) => ["/v1/chat/completions", { model: modelOf(ofType(row), way), messages, stream }] as const),
    ),
    ...WAY_NAMES.map((way) => ["/v1/responses", { model: modelOf(RESPONSES, way), input: "hi", stream }] as const),
  ]);
  for (let at = 0; at < asked.length; at += 24) {
    await Promise.all(asked.slice(at, at + 24).map(([path, body]) => ask(token.key, path, body)));
  }
  await until(async () => (await relay.logsOf(user)).length === asked.length, 10_000);
  const wrong = (await relay.logsOf(user)).filter(({ quota, completion }) => quota !== DUE || completion !== 310);
  expect(wrong.map(({ model, stream, quota, completion }) => ({ model, stream, quota, completion }))).toEqual([]);
}, 60_000);

test("a channel's test counts them, too", async () => {
  await relay.addUser({ role: 100, username: "root" });
  const { db, sql } = relay.database;
  const ctx = { db, sql, actor: { type: "job", name: "test" }, clientIp: "192.0.2.1" } as const;
  for (const way of WAY_NAMES) {
    const baseUrl = `${upstream.url}/f/openai-chat/text`;
    const id = await relay.addChannel({ baseUrl, models: modelOf(TESTED, way) });
    expect(await runChannelTest(ctx, id)).toMatchObject({ message: "", success: true });
    const [row] = await sql`select prompt_tokens, completion_tokens from usage_logs where channel_id = ${id}`;
    expect([way, row]).toEqual([way, { prompt_tokens: 40, completion_tokens: 310 }]);
  }
});

test("a batch is charged for them, for what it read from a cache, and for no empty answer", async () => {
  const storage = await startFakeStorage();
  try {
    await relay.addChannel({ baseUrl: storage.url, setting: '{"speaks_responses":true}', models: BATCHED });
    await relay.inForce();
    const { user, token } = await relay.addCaller({ balance: 1_000_000_000 });
    const openai = relay.clientFor(token.key);
    const url = "/v1/chat/completions";
    const content = "Say hello ".repeat(50);
    const answers = [
      ...Object.values(WAYS).map((usage) => ({ usage, content: "Hello" })),
      { usage: { prompt_tokens: 40, completion_tokens: 10, total_tokens: 50, cached_tokens: 30 }, content: "Hello" },
      { usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }, content: "" },
    ];
    const lines = answers.map((_, at) => {
      const body = { model: BATCHED, messages: [{ role: "user", content }], max_tokens: 2_000 };
      return JSON.stringify({ custom_id: `${at}`, method: "POST", url, body });
    });
    const file = await openai.files.create({ file: new File([lines.join("\n")], "batch.jsonl"), purpose: "batch" });
    const made = await openai.batches.create({ input_file_id: file.id, endpoint: url, completion_window: "24h" });
    const output = answers.map(({ usage, content: said }, at) => {
      const choices = [{ index: 0, message: { role: "assistant", content: said }, finish_reason: "stop" }];
      return JSON.stringify({ custom_id: `${at}`, response: { status_code: 200, body: { choices, usage } } });
    });
    storage.endBatch(made.id, { status: "completed" }, output.join("\n"));
    await relay.database.sql`update open_charges set next_poll_at = 0`;
    await pollOpen(relay.database.sql);
    // All at half the price; what was cached costs as much as the rest where nobody has set a ratio.
    const due = (WAY_NAMES.length * DUE + 40 + 2 * 10) / 2;
    expect(await relay.logsOf(user)).toMatchObject([
      { quota: due, other: { cache_tokens: 30, batch_answered: answers.length } },
    ]);
  } finally {
    await storage.close();
  }
});
