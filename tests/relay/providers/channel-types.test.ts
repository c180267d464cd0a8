import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { pricedModels } from "@/lib/billing/built-in-terms";
import { runChannelTest } from "@/lib/channel/test-commands";
import type { ServiceContext } from "@/lib/context";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import type { UpstreamRow } from "@/lib/relay/providers/channel-type";
import { rows } from "@/lib/relay/providers/rows";
import { type FixtureUpstream, startFixtureUpstream } from "@/lib/testing/fixture-upstream";
import { serviceAccount } from "@/lib/testing/service-account";
import { setUpRelay, until } from "../harness";

// The stand-in for Google's token endpoint is at this address.
vi.stubEnv("WEIR_EGRESS_ALLOW", "127.0.0.1");

const KEYS: ReadonlyMap<number, string> = new Map([
  [CHANNEL_TYPE.bedrock, "AKID|secret|us-east-1"],
  [CHANNEL_TYPE.zhipuV3, "id.secret"],
]);
/** What the extra field says, where a channel cannot do without. */
const OTHERS: ReadonlyMap<string, string> = new Map([
  ["account", "account"],
  ["region", "us-central1"],
  ["library", "library"],
  ["bot", "7379462189365198898"],
  ["spark", "v3.5"],
]);
/** What text.answer.json says in every format, or begins with. */
const SAID = /hello|Bern|hi|weir|river|你好|您好/i;

const all = [...rows.values()];
/** Where the type's first model is asked in a variant of a format. tests/relay/providers/vertex.test.ts has Claude. */
const MODELS: ReadonlyMap<number, string> = new Map([[CHANNEL_TYPE.vertex, "gemini-2.5-pro"]]);
const modelOf = ({ id, models }: UpstreamRow): string => {
  const priced = pricedModels().filter(
    (model) => models?.test(model) && !/embed|rerank|tts|whisper|dall|imag/.test(model),
  );
  return MODELS.get(id) ?? priced[0] ?? `model-of-${id}`;
};
const formatOf = (row: UpstreamRow): string | null =>
  typeof row.dialect === "function" ? row.dialect(modelOf(row), row.baseUrl) : row.dialect;
const chats = all.filter((row) => row.test === "chat" && row.position !== null);

const relay = setUpRelay({ prices: chats.map(modelOf).join(",") });
let upstream: FixtureUpstream;
let ctx: ServiceContext;

beforeAll(async () => {
  upstream = await startFixtureUpstream();
  await relay.addUser({ role: 100, username: "root" });
  const { db, sql } = relay.database;
  ctx = { db, sql, actor: { type: "job", name: "test" }, clientIp: "192.0.2.1" };
});
afterAll(() => upstream.close());

/** A channel of this type alone, to an upstream that speaks its format. */
async function make(row: UpstreamRow): Promise<number> {
  await relay.database.sql`delete from channels`;
  const { keyParts, isKeyDocument, other } = row.editor;
  const address = `${row.baseUrl.startsWith("ws") ? upstream.url.replace("http", "ws") : upstream.url}/f/${formatOf(row)}/text`;
  const id = await relay.addChannel({
    type: row.id,
    baseUrl: address,
    models: modelOf(row),
    key: isKeyDocument
      ? serviceAccount({ token_uri: `${upstream.url}/oauth/2.0/token` })
      : (KEYS.get(row.id) ?? (keyParts.join("|") || "a-key")),
    other: OTHERS.get(other) ?? "",
  });
  await relay.inForce();
  return id;
}

describe.each(chats.map((row) => [`${row.name.en} (${row.id})`, row] as const))("a channel of %s", (_name, row) => {
  test("is tested in its own format, and used once: answered, charged and logged (B138)", async () => {
    const id = await make(row);
    const format = formatOf(row);
    expect(await runChannelTest(ctx, id)).toMatchObject({ success: true, message: "" });
    const { user, token } = await relay.addCaller();
    const model = modelOf(row);
    const reply = await relay.post(
      token.key,
      JSON.stringify({ model, messages: [{ role: "user", content: "Say hello" }] }),
    );
    expect([reply.status, reply.text]).toEqual([200, expect.stringMatching(SAID)]);
    const asked = upstream.received.slice(-2);
    expect(asked.map(({ format: spoken, fault }) => [spoken, fault])).toEqual([
      [format, ""],
      [format, ""],
    ]);
    await until(async () => (await relay.logsOf(user)).length === 1, 10_000);
    const [log] = await relay.logsOf(user);
    expect(log).toMatchObject({ type: 2, channel: id, model });
    expect(log?.quota).toBeGreaterThan(0);
  });
});

test("every type that is offered has conversations, or is for something else", () => {
  const others = all.filter((row) => row.test !== "chat" && row.position !== null).map(({ name }) => name.en);
  expect(others.sort()).toEqual([
    "Doubao Video",
    "Jina",
    "Kling",
    "Midjourney Proxy",
    "Midjourney Proxy Plus",
    "MokaAI",
    "Sora",
    "Suno API",
  ]);
});
