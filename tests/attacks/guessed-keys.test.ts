// Somebody without a key sends random bearer tokens, thousands at once, so that every one costs a query: wallets and
// known keys must not wait behind them. And a user with very many tokens searches them by part of a key, which can only
// be done by decrypting. Look-ups have a pool and a bound of their own; a search decrypts a bounded number.
import { beforeAll, describe, expect, test } from "vitest";
import { tokens } from "@/db/schema";
import { randomAlphanumeric, seal, sha256Hex } from "@/lib/crypto";
import { createKeyCache, KeyLookupsBusy, type LoadOwner } from "@/lib/snapshot/key-cache";
import { listTokens } from "@/lib/token/queries";
import { chatBody, setUpRelay, until } from "../relay/harness";

const relay = setUpRelay({ channels: [{}] });
let key: string;
let user: number;

beforeAll(async () => {
  ({
    user,
    token: { key },
  } = await relay.addCaller());
});

describe("random bearer tokens", () => {
  test("are all refused, on connections of their own, and do not keep a key's owner from being served", async () => {
    expect((await relay.post(key, chatBody("fake-gpt"))).status).toBe(200);
    const guesses = Array.from({ length: 600 }, () => relay.post(`sk-${randomAlphanumeric(48)}`, chatBody("fake-gpt")));
    expect((await relay.post(key, chatBody("fake-gpt"))).status).toBe(200);
    const statuses = new Set((await Promise.all(guesses)).map(({ status }) => status));
    statuses.delete(503);
    expect([...statuses]).toEqual([401]);
    const rows = await relay.database.sql<{ name: string; count: number }[]>`
      select application_name as name, count(*)::int as count from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and query like '%t.key_hint as "keyHint"%' group by 1`;
    expect(rows).toEqual([{ name: "weir-gateway keys", count: expect.any(Number) }]);
    expect(rows[0]?.count).toBeLessThanOrEqual(2);
  });

  test("a key that was refused a moment ago works as soon as it is created", async () => {
    const made = randomAlphanumeric(48);
    expect((await relay.post(`sk-${made}`, chatBody("fake-gpt"))).status).toBe(401);
    const values = { userId: user, keyHash: sha256Hex(made), keyCipher: seal(made), keyHint: "", name: "new" };
    await relay.database.db.insert(tokens).values({ ...values, unlimitedQuota: true });
    await until(async () => (await relay.post(`sk-${made}`, chatBody("fake-gpt"))).status === 200, 5_000);
  });

  test("no more than 200 are looked up at once; the next are told to come back, and a known key is not looked up", async () => {
    let finish: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      finish = resolve;
    });
    let asked = 0;
    const load: LoadOwner = async () => {
      asked += 1;
      await held;
      return null;
    };
    const cache = createKeyCache(load);
    const found = Array.from({ length: 1_000 }, (_, at) =>
      Promise.resolve(cache.find(`hash ${at}`)).catch((error) => error),
    );
    expect(asked).toBe(200);
    finish();
    const outcomes = await Promise.all(found);
    expect(outcomes.filter((outcome) => outcome instanceof KeyLookupsBusy)).toHaveLength(800);
    expect(cache.find("hash 0")).toBeNull();
    expect(asked).toBe(200);
  });
});

describe("a search by part of a key", () => {
  test("finds whole keys and their ends among many, and decrypts no more than the newest two hundred", async () => {
    const owner = await relay.addUser();
    const oldest = await relay.addToken(owner);
    const sealed = seal("x".repeat(48));
    // Unreadable ones: whoever decrypts them fails.
    const many = Array.from({ length: 1_500 }, (_, at) => ({
      userId: owner,
      keyHash: sha256Hex(`many ${at}`),
      keyCipher: at < 1_300 ? "not sealed" : sealed,
      keyHint: "????…????",
      name: `many ${at}`,
    }));
    await relay.database.db.insert(tokens).values(many);
    const { db, sql } = relay.database;
    const actor = { type: "user", id: owner, username: "", role: 1, group: "", via: "access-token" } as const;
    const search = async (text: string) =>
      (await listTokens({ db, sql, actor, clientIp: "" }, { key: text })).items.map(({ id }) => id);
    const whole = oldest.key.slice(3);
    for (const text of [oldest.key, whole, whole.slice(0, 12), whole.slice(-12)]) {
      expect(await search(text)).toEqual([oldest.id]);
    }
    expect(await search(randomAlphanumeric(20))).toEqual([]);
    const newest = await relay.addToken(owner);
    expect(await search(newest.key.slice(20, 30))).toEqual([newest.id]);
  });
});
