import { beforeEach, describe, expect, test } from "vitest";
import { channelKeys } from "@/db/schema";
import { seal } from "@/lib/crypto";
import { chatBody, setUpRelay, until } from "../harness";

const relay = setUpRelay({
  prices: "fake-gpt,fake-error-500",
  options: { RetryTimes: "3", AutomaticDisableChannelEnabled: "true" },
});
let user: number;
let token: string;

beforeEach(async () => {
  await relay.reset();
  const caller = await relay.addCaller();
  user = caller.user;
  token = caller.token.key;
});

async function addKeys(channelId: number, keys: string[], status = 1): Promise<number[]> {
  const rows = keys.map((key) => ({ channelId, keyCipher: seal(key), fingerprint: key, status }));
  const made = await relay.database.db.insert(channelKeys).values(rows).returning({ id: channelKeys.id });
  await relay.database.sql`select pg_notify('weir', ${`channels:${channelId}`})`;
  await relay.inForce();
  return made.map(({ id }) => id);
}

const ask = (model = "fake-gpt") => relay.post(token, chatBody(model));
const askedKeys = () => relay.upstream.requests.map(({ authorization }) => authorization.replace("Bearer ", ""));
const keyStates = (channelId: number) =>
  relay.database.sql<{ status: number; reason: string }[]>`
    select status, reason from channel_keys where channel_id = ${channelId} order by id`;

async function statusOf(channelId: number): Promise<{ status: number; reason: string | null }> {
  const rows = await relay.database.sql<{ status: number; reason: string | null }[]>`
    select status, other_info ->> 'status_reason' as reason from channels where id = ${channelId}`;
  return rows[0] ?? { status: 0, reason: null };
}

describe("several keys in one channel", () => {
  test("take turns, in the order they have; those that are switched off are not asked", async () => {
    const channel = await relay.addChannel({ key: "replaced" });
    await addKeys(channel, ["key-a", "key-b"]);
    await addKeys(channel, ["key-off"], 2);
    for (let i = 0; i < 4; i++) expect((await ask()).status).toBe(200);
    expect(askedKeys()).toEqual(["key-a", "key-b", "key-a", "key-b"]);
  });

  test("are drawn by lot where the channel's setting says so", async () => {
    const channel = await relay.addChannel({ setting: '{"multi_key_mode":"random"}' });
    await addKeys(channel, ["key-a", "key-b"]);
    for (let i = 0; i < 24; i++) await ask();
    // The chance that twenty-four random draws alternate is one in eight million.
    expect(askedKeys().some((key, at, all) => at > 0 && key === all[at - 1])).toBe(true);
    expect(new Set(askedKeys())).toEqual(new Set(["key-a", "key-b"]));
  });

  test("a key that fails for good is switched off on its own, with its reason, and the next one answers", async () => {
    const channel = await relay.addChannel({});
    const [bad = 0, good = 0] = await addKeys(channel, ["bad-key", "key-b"]);
    expect((await ask()).status).toBe(200);
    await until(async () => (await keyStates(channel))[0]?.status === 3);
    const [first, second] = await keyStates(channel);
    expect([first?.reason, second?.status]).toEqual([expect.stringContaining("401"), 1]);
    expect(await statusOf(channel)).toMatchObject({ status: 1 });
    for (let i = 0; i < 3; i++) expect((await ask()).status).toBe(200);
    expect(askedKeys()).toEqual(["bad-key", "key-b", "key-b", "key-b", "key-b"]);
    await until(async () => (await relay.logsOf(user)).length === 4);
    const [log] = await relay.logsOf(user);
    expect(log?.other).toMatchObject({
      admin_info: {
        use_channel: [String(channel), String(channel)],
        attempts: [
          { channel, key: bad, outcome: "refused", status: 401 },
          { channel, key: good, outcome: "ok" },
        ],
      },
    });
  });

  test("the channel is switched off with its last key, and says why", async () => {
    const channel = await relay.addChannel({});
    await addKeys(channel, ["poor-key", "bad-key"]);
    expect((await ask()).status).not.toBe(200);
    await until(async () => (await statusOf(channel)).status === 3);
    expect((await keyStates(channel)).map(({ status }) => status)).toEqual([3, 3]);
    expect((await statusOf(channel)).reason).toContain("no key is left");
  });

  test("the last key of a channel stays on where the channel has to: another one of its model was switched off lately", async () => {
    const channels = [await relay.addChannel({ priority: 2 }), await relay.addChannel({ priority: 1 })];
    for (const channel of channels) await addKeys(channel, ["poor-key", "bad-key"]);
    const [first = 0, second = 0] = channels;
    expect((await ask()).status).not.toBe(200);
    await until(async () => (await statusOf(first)).status === 3);
    await relay.inForce();
    const beside = await relay.startBeside();
    for (let at = 0; at < 3; at++) expect((await beside.post(token, chatBody("fake-gpt"))).status).not.toBe(200);
    await beside.gateway.stop();
    expect((await keyStates(second)).map(({ status }) => status).sort()).toEqual([1, 3]);
    expect(await statusOf(second)).toMatchObject({ status: 1 });
  });

  test("without leave to switch off, keys stay on and only rest for a while", async () => {
    const channel = await relay.addChannel({ autoBan: 0 });
    await addKeys(channel, ["bad-key", "key-b"]);
    for (let i = 0; i < 3; i++) expect((await ask()).status).toBe(200);
    expect(askedKeys()).toEqual(["bad-key", "key-b", "key-b", "key-b"]);
    expect(await keyStates(channel)).toMatchObject([{ status: 1 }, { status: 1 }]);
  });

  test("a key without credit rests alone: the others answer, and the channel's circuit stays closed", async () => {
    const channel = await relay.addChannel({ autoBan: 0 });
    await addKeys(channel, ["owing-key", "key-b"]);
    for (let i = 0; i < 3; i++) expect((await ask()).status).toBe(200);
    expect(askedKeys()).toEqual(["owing-key", "key-b", "key-b", "key-b"]);
    expect(await relay.database.sql`select * from channel_circuits where channel_id = ${channel}`).toHaveLength(0);
  });

  test("a channel of which no key is in use is asked for nothing", async () => {
    const channel = await relay.addChannel({});
    await addKeys(channel, ["key-a"], 2);
    expect((await ask()).status).toBe(503);
    expect(relay.upstream.requests).toHaveLength(0);
    expect(await statusOf(channel)).toMatchObject({ status: 1 });
  });
});

describe("the tries of a request in its log row", () => {
  test("are not written when the first one succeeds", async () => {
    await relay.addChannel({});
    await relay.inForce();
    expect((await ask()).status).toBe(200);
    await until(async () => (await relay.logsOf(user)).length === 1);
    const [log] = await relay.logsOf(user);
    expect(log?.other.admin_info).toEqual({ use_channel: [expect.any(String)] });
  });

  test("are all written when another channel had to step in, with time, status and what was said", async () => {
    const mapping = JSON.stringify({ "fake-gpt": "fake-error-503" });
    const failing = await relay.addChannel({ priority: 9, modelMapping: mapping });
    const good = await relay.addChannel({});
    await relay.inForce();
    expect((await ask()).status).toBe(200);
    await until(async () => (await relay.logsOf(user)).length === 1);
    const [log] = await relay.logsOf(user);
    const { attempts = [] } = (log?.other.admin_info ?? {}) as { attempts?: { start_ms: number; ms: number }[] };
    expect(attempts).toMatchObject([
      { channel: failing, outcome: "failed", status: 503, message: expect.any(String) },
      { channel: good, outcome: "ok", status: 200 },
    ]);
    const [first, second] = attempts;
    expect(second?.start_ms).toBeGreaterThanOrEqual((first?.start_ms ?? 0) + (first?.ms ?? 0));
  });

  test("are written when a single try failed", async () => {
    const channel = await relay.addChannel({ baseUrl: "http://127.0.0.1:9" });
    await relay.setOption("RetryTimes", "0");
    await relay.inForce();
    expect((await ask()).status).toBe(502);
    await until(async () => (await relay.logsOf(user)).length === 1);
    const [log] = await relay.logsOf(user);
    expect(log?.other.admin_info).toMatchObject({ attempts: [{ channel, outcome: "failed" }] });
  });
});
