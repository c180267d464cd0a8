import { beforeEach, describe, expect, test } from "vitest";
import { channelKeys } from "@/db/schema";
import { seal } from "@/lib/crypto";
import { identify } from "@/lib/relay/routing/affinity/identity";
import { lotAt } from "@/lib/relay/routing/affinity/preference";
import { chatBody, setUpRelay, until } from "../harness";

const WARM_SECONDS = 300;
const clock = { seconds: 1_700_000_000 };
const relay = setUpRelay({
  prices: "fake-cache",
  options: { CacheRatio: '{"fake-cache":0.5}', CircuitFailures: "9", RetryTimes: "3" },
  gateway: { nowSeconds: () => clock.seconds },
});
let user: number;
let key: string;

beforeEach(async () => {
  await relay.reset();
  const caller = await relay.addCaller();
  user = caller.user;
  key = caller.token.key;
});

const more = { prompt_cache_key: "a conversation" };
const ask = (fields: Record<string, unknown> = more, headers: Record<string, string> = {}) =>
  relay.post(key, chatBody("fake-cache", fields), headers);
/** The keys that the upstream was asked with, in order. */
const asked = () => relay.upstream.requests.map(({ authorization }) => authorization.replace("Bearer ", ""));

async function addChannels(count: number): Promise<number[]> {
  const ids: number[] = [];
  for (let i = 0; i < count; i++) ids.push(await relay.addChannel({ models: "fake-cache", key: `key-${i}` }));
  await relay.inForce();
  return ids;
}

async function addKeys(channelId: number, keys: string[]): Promise<void> {
  const rows = keys.map((one) => ({ channelId, keyCipher: seal(one), fingerprint: one, status: 1 }));
  await relay.database.db.insert(channelKeys).values(rows);
  await relay.database.sql`select pg_notify('weir', ${`channels:${channelId}`})`;
  await relay.inForce();
}

async function moveChannel(id: number, baseUrl: string): Promise<void> {
  await relay.database.sql`update channels set base_url = ${baseUrl} where id = ${id}`;
  await relay.inForce();
}

async function rows(ofUser = user) {
  const found = await relay.logsOf(ofUser);
  return found.map(({ channel, quota, other }) => ({
    channel,
    quota,
    affinity: other.affinity,
    ofAdmins: (other.admin_info as Record<string, unknown>).affinity,
  }));
}

describe("affinity: a conversation stays where its prompt is cached", () => {
  test("turns stay on one channel, in every process, and the log says what that saved", async () => {
    await addChannels(4);
    for (let turn = 0; turn < 4; turn++) expect((await ask()).status).toBe(200);
    const beside = await relay.startBeside();
    for (const stream of [false, true]) await beside.post(key, chatBody("fake-cache", { ...more, stream }));
    await beside.gateway.stop();
    expect(new Set(asked()).size).toBe(1);
    await until(async () => (await rows()).length === 6);
    const [first, second, , , elsewhere, again] = await rows();
    expect(first).toMatchObject({ quota: 38, affinity: undefined });
    // Eight of twelve tokens at half the price.
    const affinity = { by: "prompt_cache_key", hit: true, saved: 4 };
    expect(second).toMatchObject({ quota: 34, affinity, ofAdmins: { chance: 0.25, cost_saved: 4 } });
    // A process claims only what it has seen itself.
    expect([elsewhere?.affinity, again?.affinity]).toEqual([undefined, affinity]);
  });

  test("other conversations spread over all channels", async () => {
    await addChannels(3);
    await Promise.all(Array.from({ length: 60 }, (_, i) => ask({ prompt_cache_key: `c${i}` })));
    expect(new Set(asked()).size).toBe(3);
  });

  test.each([
    ["a header of a coding client", {}, { "x-session-affinity": "s" }, "header"],
    ["a header as long as headers can be", {}, { "x-weir-conversation": "s".repeat(12_000) }, "header"],
    ["its user and a long prompt", { user: "u", metadata: { filler: "x".repeat(5_000) } }, {}, "user"],
    ["how it begins", { messages: [{ role: "user", content: "y".repeat(5_000) }] }, {}, "prefix"],
  ])("it is known by %s", async (_, fields, headers, by) => {
    await addChannels(6);
    for (let turn = 0; turn < 5; turn++) expect((await ask(fields, headers)).status).toBe(200);
    expect(new Set(asked()).size).toBe(1);
    await until(async () => (await rows()).length === 5);
    expect((await rows()).at(-1)?.affinity).toMatchObject({ by, hit: true });
  });

  test("a channel with many keys keeps to the one of the conversation; without affinity they take turns", async () => {
    const channel = await relay.addChannel({ models: "fake-cache" });
    await addKeys(channel, ["key-a", "key-b", "key-c"]);
    for (let turn = 0; turn < 5; turn++) await ask();
    expect(new Set(asked()).size).toBe(1);
    await until(async () => (await rows()).length === 5);
    expect((await rows()).at(-1)).toMatchObject({ affinity: { hit: true, saved: 4 }, ofAdmins: { chance: 0.33 } });
    await relay.setOption("AffinitySeconds", "0");
    await relay.inForce();
    relay.upstream.forget();
    for (let turn = 0; turn < 3; turn++) await ask();
    expect(new Set(asked()).size).toBe(3);
  });

  test("the same name by another user is another conversation", async () => {
    await addChannels(2);
    for (let turn = 0; turn < 2; turn++) await ask();
    const other = await relay.addCaller();
    await relay.post(other.token.key, chatBody("fake-cache", more));
    await until(async () => (await rows(other.user)).length === 1);
    expect((await rows(other.user))[0]?.affinity).toBeUndefined();
  });
});

/** The name of a conversation whose draw is the same after its cache is cold. */
function steadyName(): string {
  for (let i = 0; ; i++) {
    const cacheKey = `c${i}`;
    const conversation = { cacheKey, user: "", opening: () => ({ instructions: [], question: [] }) };
    const found = identify({ userId: user, model: "fake-cache", headers: {}, conversation, promptBytes: 0 });
    const lotOf = (seconds: number) => lotAt(found?.lot ?? 0, seconds * 1_000, 12 * WARM_SECONDS * 1_000);
    if (lotOf(clock.seconds) === lotOf(clock.seconds + WARM_SECONDS)) return cacheKey;
  }
}

describe("affinity is never in the way", () => {
  test("the channel fails: the next one answers at once, keeps the conversation, and gives it back when it is cold (B314)", async () => {
    const ids = await addChannels(2);
    const name = { prompt_cache_key: steadyName() };
    await ask(name);
    const drawn = asked()[0] ?? "";
    const other = drawn === "key-0" ? "key-1" : "key-0";
    const failing = ids[Number(drawn.slice(4))] ?? 0;
    await moveChannel(failing, "http://127.0.0.1:1");
    expect((await ask(name)).status).toBe(200);
    await moveChannel(failing, relay.upstream.url);
    await ask(name);
    expect(asked()).toEqual([drawn, other, other]);
    await until(async () => (await rows()).length === 3);
    expect((await rows()).map(({ affinity }) => affinity)).toEqual([
      undefined,
      { by: "prompt_cache_key", hit: false },
      { by: "prompt_cache_key", hit: true, saved: 4 },
    ]);
    clock.seconds += WARM_SECONDS;
    await ask(name);
    expect(asked().at(-1)).toBe(drawn);
    await until(async () => (await rows()).length === 4);
    expect((await rows()).at(-1)?.affinity).toBeUndefined();
  });

  test("a channel that is full, has a lower priority or is switched off is passed over", async () => {
    const ids = await addChannels(2);
    await ask();
    const warm = asked()[0] ?? "";
    const id = ids[Number(warm.slice(4))] ?? 0;
    const change = async (columns: Record<string, number>): Promise<void> => {
      await relay.database.sql`update channels set ${relay.database.sql(columns)} where id = ${id}`;
      await relay.inForce();
      relay.upstream.forget();
    };
    await change({ requests_per_minute: 1 });
    for (let turn = 0; turn < 2; turn++) expect((await ask()).status).toBe(200);
    expect(asked()).toEqual([warm, expect.not.stringMatching(warm)]);
    await change({ requests_per_minute: 0, priority: -1 });
    expect((await ask()).status).toBe(200);
    await change({ priority: 5, status: 2 });
    expect((await ask()).status).toBe(200);
    expect(asked()).toEqual([expect.not.stringMatching(warm)]);
  });
});
