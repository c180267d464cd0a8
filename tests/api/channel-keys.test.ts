import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import * as channelApi from "@/app/api/channel/[[...path]]/route";
import { auditEntries, channelKeys, channels } from "@/db/schema";
import { unseal } from "@/lib/crypto";
import { call, setUpApi } from "./harness";

const api = setUpApi();
const base = { type: 1, name: "one", key: "sk-a", models: "gpt-4o,o3", group: "default" };
const admin = async (line: string, body?: unknown) => (await call(channelApi, line, { as: api.admin, body })).json;
const newest = async () => (await api.database.db.select().from(channels).orderBy(channels.id)).at(-1);
const keysOf = (id: number) =>
  api.database.db.select().from(channelKeys).where(eq(channelKeys.channelId, id)).orderBy(channelKeys.id);

async function make(fields: object = {}): Promise<number> {
  expect((await admin("POST /api/channel/", { ...base, ...fields })).success).toBe(true);
  return (await newest())?.id ?? 0;
}

beforeEach(() => api.database.db.delete(channels));

describe("several keys of one channel", () => {
  test("one channel is made with all of them when asked so; the list tells state and fingerprint, never a key", async () => {
    const id = await make({ key: "sk-a\nsk-b\nsk-c", mode: "multi_to_single" });
    expect(await api.database.db.$count(channels)).toBe(1);
    expect((await keysOf(id)).map(({ keyCipher }) => unseal(keyCipher))).toEqual(["sk-a", "sk-b", "sk-c"]);
    const { data } = await admin(`GET /api/channel/keys/${id}`);
    expect(data).toMatchObject([{ status: 1 }, { status: 1 }, { status: 1 }]);
    expect(new Set(data.map(({ fingerprint }: { fingerprint: string }) => fingerprint)).size).toBe(3);
    expect(JSON.stringify(data)).not.toMatch(/sk-|cipher/);
  });

  test("a key that is added makes the one that is there the first of several; known ones are passed over", async () => {
    const id = await make();
    expect((await admin(`GET /api/channel/keys/${id}`)).data).toEqual([]);
    expect((await admin(`POST /api/channel/keys/${id}`, { keys: "sk-a\nsk-b\n" })).data).toBe(1);
    expect((await keysOf(id)).map(({ keyCipher }) => unseal(keyCipher))).toEqual(["sk-a", "sk-b"]);
    expect((await admin(`POST /api/channel/keys/${id}`, { keys: "sk-b" })).message).toBe("这些密钥已在该渠道中");
    expect((await admin(`POST /api/channel/keys/${id}`, { keys: " \n" })).success).toBe(false);
  });

  test("a channel that is on keeps one key in use; the last but one leaves it with a single key again", async () => {
    const id = await make({ key: "sk-a\nsk-b", mode: "multi_to_single" });
    const [first, second] = (await keysOf(id)).map((key) => key.id);
    const put = (key_id: number | undefined, status: number) =>
      admin(`PUT /api/channel/keys/${id}`, { key_id, status });
    expect((await put(first, 2)).success).toBe(true);
    expect((await put(second, 2)).message).toContain("没有可用的密钥");
    expect((await put(first, 3)).success).toBe(false);
    expect((await put(99_999, 1)).message).toBe("密钥不存在");
    expect((await admin(`DELETE /api/channel/keys/${id}`, { key_id: second })).message).toContain("没有可用的密钥");
    expect((await admin(`DELETE /api/channel/keys/${id}`, { key_id: first })).success).toBe(true);
    expect(await keysOf(id)).toEqual([]);
    expect(unseal((await newest())?.keyCipher ?? "")).toBe("sk-b");
  });

  test("the last key of a channel cannot be removed", async () => {
    const id = await make({ key: "sk-a\nsk-b", mode: "multi_to_single" });
    await admin("PUT /api/channel/", { id, status: 2 });
    await api.database.db.update(channelKeys).set({ status: 2 });
    const [first, second] = (await keysOf(id)).map((key) => key.id);
    expect((await admin(`DELETE /api/channel/keys/${id}`, { key_id: first })).success).toBe(true);
    expect((await admin(`DELETE /api/channel/keys/${id}`, { key_id: second })).message).toBe("渠道至少需要一个密钥");
  });

  test("switching a channel on gives the keys that the system took out another chance, not those taken out by hand", async () => {
    const id = await make({ key: "sk-a\nsk-b", mode: "multi_to_single" });
    const [first = 0, second = 0] = (await keysOf(id)).map((key) => key.id);
    const set = (key: number, status: number) =>
      api.database.db.update(channelKeys).set({ status, reason: "401" }).where(eq(channelKeys.id, key));
    await set(first, 3);
    await set(second, 2);
    await api.database.db.update(channels).set({ status: 3 });
    expect((await admin("PUT /api/channel/", { id, status: 1 })).data.status).toBe(1);
    expect((await keysOf(id)).map(({ status, reason }) => [status, reason])).toEqual([
      [1, ""],
      [2, "401"],
    ]);
    await set(first, 2);
    await api.database.db.update(channels).set({ status: 2 });
    expect((await admin("PUT /api/channel/", { id, status: 1 })).message).toContain("没有可用的密钥");
    expect((await newest())?.status).toBe(2);
  });

  test("a key given in the editor takes the place of all", async () => {
    const id = await make({ key: "sk-a\nsk-b", mode: "multi_to_single" });
    await admin("PUT /api/channel/", { id, key: "sk-z" });
    expect(await keysOf(id)).toEqual([]);
    expect(unseal((await newest())?.keyCipher ?? "")).toBe("sk-z");
  });

  test("a channel is found by any of its keys, and an ordinary user gets nothing", async () => {
    const id = await make({ key: "sk-a\nsk-b", mode: "multi_to_single" });
    expect((await admin("GET /api/channel/search?keyword=sk-b")).data).toMatchObject([{ id }]);
    const { json } = await call(channelApi, `GET /api/channel/keys/${id}`, { as: api.alice });
    expect(json.success).toBe(false);
  });
});

describe("POST /api/channel/copy/{id} (B041, B222)", () => {
  test("copies settings and keys on the server, with suffix, without balance, usage and times", async () => {
    const id = await make({
      key: "sk-a\nsk-b",
      mode: "multi_to_single",
      tag: "t",
      priority: 4,
      model_mapping: '{"a":"b"}',
    });
    await api.database.db
      .update(channels)
      .set({ balance: 9, usedQuota: 500, responseTime: 700, testTime: 5, createdTime: 5, status: 3 });
    const { data } = await admin(`POST /api/channel/copy/${id}`, {});
    const copy = await newest();
    expect(copy).toMatchObject({
      id: data.id,
      name: "one_复制",
      tag: "t",
      priority: 4,
      modelMapping: '{"a":"b"}',
      balance: 0,
      usedQuota: 0,
      responseTime: 0,
      testTime: 0,
      status: 2,
      otherInfo: {},
    });
    expect(copy?.createdTime).toBeGreaterThan(5);
    expect((await keysOf(data.id)).map(({ keyCipher }) => unseal(keyCipher))).toEqual(["sk-a", "sk-b"]);
    const audit = await api.database.db.select().from(auditEntries).where(eq(auditEntries.action, "channel.copy"));
    expect(JSON.stringify(audit)).not.toContain("sk-");
    expect(audit).toHaveLength(1);
  });

  test("a channel that is gone says so (B267)", async () => {
    expect(await admin("POST /api/channel/copy/424242", {})).toEqual({
      success: false,
      message: "渠道未找到，请刷新页面后重试。",
    });
  });
});

describe("POST /api/channel/ with a row as it was read, which has no key (B222)", () => {
  const readRow = async (id: number) => {
    const { id: _, ...row } = (await admin(`GET /api/channel/${id}`)).data;
    return row;
  };

  test("copy_from, or the id, names the channel whose keys it takes; fields are those that are sent", async () => {
    const id = await make({ key: "sk-a\nsk-b", mode: "multi_to_single", tag: "t", priority: 4 });
    const row = await readRow(id);
    for (const source of [{ copy_from: id }, { id }]) {
      const given = { ...row, name: "second", priority: 9, ...source };
      expect(await admin("POST /api/channel/", given)).toMatchObject({ success: true, message: "" });
      const copy = await newest();
      expect(copy).toMatchObject({ name: "second", tag: "t", priority: 9, usedQuota: 0 });
      expect(copy?.id).not.toBe(id);
      expect((await keysOf(copy?.id ?? 0)).map(({ keyCipher }) => unseal(keyCipher))).toEqual(["sk-a", "sk-b"]);
    }
    expect(await admin(`GET /api/channel/${id}`)).toMatchObject({ data: { name: row.name, priority: 4 } });
  });

  test("without a source a key is asked for; a source that is gone makes nothing", async () => {
    const row = await readRow(await make());
    const before = (await newest())?.id;
    expect(await admin("POST /api/channel/", row)).toMatchObject({ success: false });
    expect(await admin("POST /api/channel/", { ...row, copy_from: 424242 })).toMatchObject({ success: false });
    expect((await newest())?.id).toBe(before);
  });

  test("an administrator cannot have the keys sent elsewhere by copying", async () => {
    const id = await make({ base_url: "https://up.example" });
    const row = await readRow(id);
    const stolen = { ...row, copy_from: id, base_url: "https://evil.example" };
    expect(await admin("POST /api/channel/", stolen)).toMatchObject({ success: false });
    expect((await newest())?.id).toBe(id);
  });
});
