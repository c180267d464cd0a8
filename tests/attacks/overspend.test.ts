// Who: a caller with a small balance, who asks many times at once for what costs far more than its body shows.
// What must hold: whatever a request can have (every option, tool and part that the official clients know), the balance never
// falls below 0 where the upstream reports the most that the request can cause, because all of that is reserved before it is asked.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DEAR_OPTIONS } from "@/lib/option/dear-options";
import { setUpRelay, until } from "../relay/harness";
import { dearest, STORED_TOKENS } from "./dearest-usage";
import { catalogueOf, type Item } from "./request-catalogue";
import { type Json, startScriptedUpstream, type Wire } from "./scripted-upstream";

const BALANCE = 40_000;
/** Models that show all they write, and their windows. Two windows are paid for by the balance, and no third one. */
const MODELS: Record<Wire, { name: string; window: number }> = {
  chat: { name: "gpt-4.1-mini", window: 1_047_576 },
  responses: { name: "gpt-4.1", window: 1_047_576 },
  messages: { name: "claude-3-5-haiku-20241022", window: 200_000 },
  gemini: { name: "gemini-2.0-flash", window: 1_048_576 },
};
const WINDOW_COST = 19_000;
const WIRES = ["chat", "responses", "messages", "gemini"] as const;

const relay = setUpRelay();
let upstream: Awaited<ReturnType<typeof startScriptedUpstream>>;
let storing = 0;

beforeAll(async () => {
  upstream = await startScriptedUpstream();
  const baseUrl = upstream.url;
  const setting = '{"speaks_responses":true}';
  await relay.addChannel({ baseUrl, models: MODELS.chat.name });
  storing = await relay.addChannel({ baseUrl, models: MODELS.responses.name, setting });
  await relay.addChannel({ baseUrl, models: MODELS.messages.name, type: 14 });
  await relay.addChannel({ baseUrl, models: MODELS.gemini.name, type: 24 });
  const models = Object.values(MODELS);
  await relay.setOption(
    "ModelRatio",
    Object.fromEntries(models.map(({ name, window }) => [name, WINDOW_COST / window])),
  );
  await relay.setOption("CompletionRatio", Object.fromEntries(models.map(({ name }) => [name, 2])));
  await relay.setOption("CreateCacheRatio", Object.fromEntries(models.map(({ name }) => [name, 1])));
  await relay.setOption("AllowedRequestOptions", DEAR_OPTIONS.join("\n"));
  await relay.inForce();
  upstream.script((asked) => dearest(asked, MODELS[asked.wire].window));
});
afterAll(() => upstream.close());

const plain: Record<Wire, Json> = {
  chat: { messages: [{ role: "user", content: "hi" }] },
  responses: { input: "hi" },
  messages: { max_tokens: 500, messages: [{ role: "user", content: "hi" }] },
  gemini: { contents: [{ role: "user", parts: [{ text: "hi" }] }] },
};

async function ask(key: string, wire: Wire, more: Json, isStream: boolean): Promise<number> {
  const { name } = MODELS[wire];
  const gemini = `/v1beta/models/${name}:${isStream ? "streamGenerateContent?alt=sse" : "generateContent"}`;
  const path = { chat: "/v1/chat/completions", responses: "/v1/responses", messages: "/v1/messages", gemini }[wire];
  const body = {
    ...plain[wire],
    ...more,
    ...(wire === "gemini" ? {} : { model: name }),
    ...(isStream ? { stream: true } : {}),
  };
  const response = await fetch(`${relay.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  });
  await response.text();
  return response.status;
}

/** A caller who has stored an answer, a file and an item that nobody knows the size of. */
async function poorCaller() {
  const { user, token } = await relay.addCaller({ balance: BALANCE });
  const kinds = ["response", "item", "conversation", "file"];
  await relay.database.sql`
    insert into upstream_objects (user_id, kind, object_id, channel_id, key_hash, created_at, expires_at, tokens)
    select ${user}, kind, 'known_1', ${storing}, '', 1, 4e9, case kind when 'response' then ${STORED_TOKENS}::int end
    from unnest(${kinds}::text[]) as kind`;
  return { user, key: token.key };
}

type Attack = { what: string; wire: Wire; served: number; refused: number; left: number };

async function attack(wire: Wire, { what, more }: Item, times: number): Promise<Attack> {
  const { user, key } = await poorCaller();
  const asking = Array.from({ length: times }, (_, at) => ask(key, wire, more, at % 2 === 1));
  const statuses = await Promise.all(asking);
  const served = statuses.filter((status) => status === 200).length;
  await until(async () => (await relay.logsOf(user)).filter(({ type }) => type === 2).length >= served, 10_000);
  const { quota: left } = await relay.balanceOf(user);
  return { what, wire, served, refused: statuses.filter((status) => status === 429 || status === 503).length, left };
}

/** Each item by itself, a few at a time. */
async function attackAll(wire: Wire, items: readonly Item[], times: number): Promise<Attack[]> {
  const queue = [...items];
  const done: Attack[] = [];
  const work = async (): Promise<void> => {
    for (let item = queue.shift(); item; item = queue.shift()) done.push(await attack(wire, item, times));
  };
  await Promise.all(Array.from({ length: 4 }, work));
  return done;
}

const overspent = (attacks: readonly Attack[]) => attacks.filter(({ left }) => left < 0);

describe.each(WIRES)("%s", (wire) => {
  test("every option, tool and part, three at once (B317)", async () => {
    const items = catalogueOf(wire);
    expect(items.length).toBeGreaterThan(60);
    const attacks = await attackAll(wire, items, 3);
    expect(overspent(attacks)).toEqual([]);
    // What costs no more than its body shows is served to who has little.
    expect(attacks.filter(({ served }) => served === 3).length).toBeGreaterThan(30);
  }, 120_000);

  test("every tool, forty at once (B317)", async () => {
    const tools = catalogueOf(wire).filter(({ isTool }) => isTool);
    expect(overspent(await attackAll(wire, tools, 40))).toEqual([]);
  }, 120_000);
});
