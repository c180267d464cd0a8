import { eq, inArray } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { auditEntries, bulkChanges, channelKeys, channels } from "@/db/schema";
import { applyBulkChange, previewBulkChange } from "@/lib/channel/bulk-commands";
import type { BulkInput } from "@/lib/channel/bulk-schemas";
import { forgetOldDeletions, listBulkChanges, undoBulkChange } from "@/lib/channel/bulk-undo-commands";
import { listChannelFacets } from "@/lib/channel/facet-queries";
import { listTagRows } from "@/lib/channel/tag-queries";
import type { ServiceContext } from "@/lib/context";
import { seal, unseal } from "@/lib/crypto";
import { setUpApi } from "./harness";

const api = setUpApi();
let ctx: ServiceContext;
let user: ServiceContext;

beforeEach(async () => {
  const { db, sql } = api.database;
  const actor = { type: "user", username: "admin", role: 10, group: "default", via: "session" } as const;
  ctx = { db, sql, actor: { ...actor, id: api.admin.id }, clientIp: "" };
  user = { ...ctx, actor: { ...actor, role: 1, id: api.alice.id } };
  await db.delete(channels);
  await db.delete(bulkChanges);
  await db.delete(auditEntries);
});

type Fields = Partial<typeof channels.$inferInsert>;

async function make(...rows: Fields[]): Promise<number[]> {
  const values = rows.map((row, at) => ({ name: `c${at}`, keyCipher: seal("sk-a"), models: "gpt-4o,o3", ...row }));
  const made = await api.database.db.insert(channels).values(values).returning({ id: channels.id });
  return made.map(({ id }) => id);
}
const read = (ids: number[]) =>
  api.database.db.select().from(channels).where(inArray(channels.id, ids)).orderBy(channels.id);
const apply = async (input: BulkInput) =>
  applyBulkChange(ctx, { ...input, expected: (await previewBulkChange(ctx, input)).fingerprint });

describe("a change of many channels", () => {
  test("the preview says what changes on which rows and writes nothing (B034)", async () => {
    const ids = await make({ models: "gpt-4o" }, { models: "gpt-4o,o3" }, { models: "o3" });
    const preview = await previewBulkChange(ctx, {
      target: { ids },
      change: { kind: "models", how: "remove", names: ["o3"] },
    });
    expect(preview).toEqual({
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
      matched: 3,
      changed: 1,
      same: 1,
      refused: [{ id: ids[2], name: "c2", reason: "bulkNoModelLeft" }],
      field: "models",
      rows: [{ id: ids[1], name: "c1", before: "gpt-4o,o3", after: "gpt-4o" }],
    });
    expect((await read(ids)).map(({ models }) => models)).toEqual(["gpt-4o", "gpt-4o,o3", "o3"]);
  });

  test("is made in one go, audited row by row, and taken back", async () => {
    const ids = await make({ priority: 1 }, { priority: 7 }, { priority: 3 });
    const done = await apply({ target: { ids }, change: { kind: "priority", value: 7 } });
    expect(done.changed).toBe(2);
    expect((await read(ids)).map(({ priority }) => priority)).toEqual([7, 7, 7]);
    const audit = await api.database.db.select().from(auditEntries).where(eq(auditEntries.action, "channel.bulk"));
    expect(audit.map(({ subject }) => subject).sort()).toEqual([`channel:${ids[0]}`, `channel:${ids[2]}`].sort());
    expect(await undoBulkChange(ctx, done.id ?? 0)).toEqual({ undone: 2, kept: [] });
    expect((await read(ids)).map(({ priority }) => priority)).toEqual([1, 7, 3]);
    await expect(undoBulkChange(ctx, done.id ?? 0)).rejects.toMatchObject({ messageKey: "bulkUndone" });
  });

  test("only rows that still hold what it wrote are taken back; the others are named", async () => {
    const ids = await make({ weight: 1 }, { weight: 2 }, { weight: 3 });
    const { id } = await apply({ target: { ids }, change: { kind: "weight", value: 9 } });
    await api.database.db
      .update(channels)
      .set({ weight: 5 })
      .where(eq(channels.id, ids[1] ?? 0));
    await api.database.db.delete(channels).where(eq(channels.id, ids[2] ?? 0));
    expect(await undoBulkChange(ctx, id ?? 0)).toEqual({
      undone: 1,
      kept: [
        { id: ids[1], name: "c1", reason: "changed" },
        { id: ids[2], name: "c2", reason: "gone" },
      ],
    });
    expect((await read(ids)).map(({ weight }) => weight)).toEqual([1, 5]);
  });

  test("why a channel was off comes back with its state", async () => {
    const otherInfo = { status_reason: "quota", status_time: 5 };
    const ids = await make({ status: 3, otherInfo }, { status: 1 });
    const { id } = await apply({ target: { ids }, change: { kind: "disable" } });
    expect((await read(ids)).map((row) => [row.status, row.otherInfo])).toEqual([
      [2, {}],
      [2, {}],
    ]);
    await undoBulkChange(ctx, id ?? 0);
    expect((await read(ids)).map((row) => [row.status, row.otherInfo])).toEqual([
      [3, otherInfo],
      [1, {}],
    ]);
  });

  test("deleted channels come back under their ids with all their keys, and are forgotten after a day", async () => {
    const ids = await make({ tag: "t", usedQuota: 5 }, {});
    await api.database.db
      .insert(channelKeys)
      .values({ channelId: ids[0] ?? 0, keyCipher: seal("sk-b"), fingerprint: "f" });
    const { id } = await apply({ target: { ids }, change: { kind: "delete" } });
    expect(await read(ids)).toEqual([]);
    expect(await undoBulkChange(ctx, id ?? 0)).toEqual({ undone: 2, kept: [] });
    const [first] = await read(ids);
    expect(first).toMatchObject({ tag: "t", usedQuota: 5 });
    expect(unseal(first?.keyCipher ?? "")).toBe("sk-a");
    expect(await api.database.db.$count(channelKeys)).toBe(1);
    const again = await apply({ target: { ids }, change: { kind: "delete" } });
    expect(await forgetOldDeletions(api.database.sql)).toBe(0);
    await api.database.db.update(bulkChanges).set({ createdAt: 1 });
    await expect(undoBulkChange(ctx, again.id ?? 0)).rejects.toMatchObject({ messageKey: "bulkTooOld" });
    expect(await forgetOldDeletions(api.database.sql)).toBe(1);
    expect(JSON.stringify(await api.database.db.select().from(bulkChanges))).not.toContain("cipher");
  });

  test("all that match can be meant; when others match than were seen, nothing happens", async () => {
    await make({ tag: "a" }, { tag: "a" }, { tag: "b" });
    const target = { filter: { tags: ["a"] } };
    expect(await apply({ target, change: { kind: "tag", tag: null } })).toMatchObject({ changed: 2 });
    const input = { target: { filter: { tags: ["b"] } }, change: { kind: "enable" } as const };
    const { fingerprint: expected } = await previewBulkChange(ctx, input);
    await make({ tag: "b" });
    await expect(applyBulkChange(ctx, { ...input, expected })).rejects.toMatchObject({ code: "conflict" });
    expect(await listBulkChanges(ctx)).toMatchObject([{ kind: "tag", changed: 2, canUndo: true, actorName: "admin" }]);
  });

  test("as many others than were seen, or a value that somebody else has changed since, are not changed (B326)", async () => {
    const [first = 0, second = 0] = await make({ tag: "a", priority: 1 }, { tag: "a", priority: 1 });
    const seen = async (input: BulkInput) => ({
      ...input,
      expected: (await previewBulkChange(ctx, input)).fingerprint,
    });
    const refused = { code: "conflict", messageKey: "bulkRowsChanged" };
    const set = await seen({ target: { ids: [first, second] }, change: { kind: "priority", value: 5 } });
    await api.database.db
      .update(channels)
      .set({ priority: 9 })
      .where(inArray(channels.id, [second]));
    await expect(applyBulkChange(ctx, set)).rejects.toMatchObject(refused);
    const remove = await seen({ target: { filter: { tags: ["a"] } }, change: { kind: "delete" } });
    await api.database.db
      .update(channels)
      .set({ tag: "b" })
      .where(inArray(channels.id, [second]));
    const [other = 0] = await make({ tag: "a" });
    await expect(applyBulkChange(ctx, remove)).rejects.toMatchObject(refused);
    expect((await read([first, second, other])).map(({ priority }) => priority)).toEqual([1, 9, 0]);
    // What others have changed in another field is no reason to refuse.
    const weigh = await seen({ target: { ids: [first, second] }, change: { kind: "weight", value: 7 } });
    await api.database.db
      .update(channels)
      .set({ priority: 3 })
      .where(inArray(channels.id, [first]));
    expect(await applyBulkChange(ctx, weigh)).toMatchObject({ changed: 2 });
  });

  test.each<[BulkInput["change"], string]>([
    [{ kind: "models", how: "add", names: [] }, "bulkNothingGiven"],
    [{ kind: "priority", value: -1_000 }, "channelPriorityInvalid"],
    [{ kind: "weight", value: -1 }, "channelWeightInvalid"],
    [{ kind: "weight", value: 1.5 }, "channelWeightInvalid"],
  ])("refuses %j", async (change, messageKey) => {
    const ids = await make({});
    await expect(previewBulkChange(ctx, { target: { ids }, change })).rejects.toMatchObject({ messageKey });
  });

  test("nothing selected is refused, and so is an ordinary user", async () => {
    const change = { kind: "delete" } as const;
    await expect(previewBulkChange(ctx, { target: { ids: [] }, change })).rejects.toMatchObject({ code: "invalid" });
    const ids = await make({});
    await expect(applyBulkChange(user, { target: { ids }, change, expected: "" })).rejects.toMatchObject({
      code: "forbidden",
    });
    await expect(undoBulkChange(user, 1)).rejects.toMatchObject({ code: "forbidden" });
  });
});

describe("what the list can be narrowed by", () => {
  test("each property is counted under the other filters, not under its own", async () => {
    await make({ tag: "a", group: "default,vip", type: 1 }, { tag: "a", type: 14, status: 2 }, { type: 14, status: 3 });
    const facets = await listChannelFacets(ctx, { types: [14] });
    expect(facets.types).toEqual([
      { value: 14, count: 2 },
      { value: 1, count: 1 },
    ]);
    expect(facets.statuses).toEqual([
      { value: 2, count: 1 },
      { value: 3, count: 1 },
    ]);
    expect(facets.tags).toEqual([
      { value: "", count: 1 },
      { value: "a", count: 1 },
    ]);
    expect((await listChannelFacets(ctx, {})).groups).toEqual([
      { value: "default", count: 3 },
      { value: "vip", count: 1 },
    ]);
    await expect(listChannelFacets(user, {})).rejects.toMatchObject({ code: "forbidden" });
  });
});

describe("tag mode (B036)", () => {
  test("tags with the sums of their members, then channels without a tag; an open tag shows its members", async () => {
    const ids = await make(
      { tag: "a", priority: 5, weight: 1, usedQuota: 3, responseTime: 1_000, group: "default" },
      { tag: "a", priority: 5, weight: 2, usedQuota: 4, responseTime: 3_000, group: "vip,default", status: 2 },
      { tag: "a", priority: 5, weight: 2, responseTime: 0, status: 3 },
      { name: "loose" },
    );
    const { items, total } = await listTagRows(ctx, {}, ["a"]);
    expect(total).toBe(2);
    expect(items[0]).toEqual({
      kind: "tag",
      summary: {
        tag: "a",
        members: 3,
        ids: ids.slice(0, 3),
        enabled: 1,
        group: "default,vip",
        usedQuota: 7,
        responseTime: 2_000,
        priority: 5,
        weight: null,
      },
    });
    expect(items.slice(1).map((row) => (row.kind === "channel" ? [row.channel.id, row.isMember] : null))).toEqual([
      [ids[2], true],
      [ids[1], true],
      [ids[0], true],
      [ids[3], false],
    ]);
    expect((await listTagRows(ctx, {})).items).toHaveLength(2);
  });

  test("a tag can be selected: its row has the ids of all its channels, also beyond those that are shown", async () => {
    const ids = await make(...Array.from({ length: 104 }, (_, at) => ({ tag: "many", name: `many ${at}` })));
    const [row, ...shown] = (await listTagRows(ctx, {}, ["many"])).items;
    expect(shown).toHaveLength(100);
    if (row?.kind !== "tag") throw new Error("no tag");
    expect(row.summary.ids).toEqual(ids);
    const target = { ids: row.summary.ids };
    expect(await apply({ target, change: { kind: "disable" } })).toMatchObject({ changed: 104 });
    expect((await listTagRows(ctx, {})).items[0]).toMatchObject({ summary: { members: 104, enabled: 0 } });
  });
});
