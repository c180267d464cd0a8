import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import { auditEntries } from "@/db/schema";
import { listAuditActions, listAuditEntries } from "@/lib/audit/queries";
import type { ServiceContext } from "@/lib/context";
import { setUpApi } from "./harness";

const api = setUpApi();
const T0 = 1_700_000_000;
const COUNT = 3_000;

const as = (id: number, role: number): ServiceContext => ({
  db: api.database.db,
  sql: api.database.sql,
  clientIp: "",
  actor: { type: "user", id, username: "x", role, group: "default", via: "session" },
});
const root = () => as(api.root.id, 100);

beforeAll(async () => {
  const rows = Array.from({ length: COUNT }, (_, index) => ({
    actorId: index % 100 === 0 ? api.admin.id : api.root.id,
    actorKind: "user",
    action: index % 100 === 0 ? "user.manage" : "channel.update",
    subject: `channel:${index % 50}`,
    before: { weight: index },
    after: { weight: index + 1 },
    clientIp: "198.51.100.7",
    createdAt: T0 + index,
  }));
  await api.database.db.insert(auditEntries).values(rows);
  await api.database.db.insert(auditEntries).values({
    actorKind: "job",
    action: "channel.revive",
    subject: "channel:1",
    createdAt: T0 + COUNT,
  });
  await api.database.db.execute(sql`analyze audit_entries`);
});

describe("the audit log", () => {
  test("is for a super administrator alone", async () => {
    for (const ctx of [as(api.admin.id, 10), as(api.alice.id, 1)]) {
      await expect(listAuditEntries(ctx)).rejects.toMatchObject({ code: "forbidden" });
      await expect(listAuditActions(ctx)).rejects.toMatchObject({ code: "forbidden" });
    }
  });

  test("pages by key from the newest to the oldest without a gap or a double", async () => {
    const seen: number[] = [];
    let before: number | undefined;
    for (;;) {
      const page = await listAuditEntries(root(), { subject: "channel:7", ...(before ? { before } : {}) });
      seen.push(...page.items.map((row) => row.id));
      if (page.next === null) break;
      before = page.next;
    }
    expect(seen).toHaveLength(COUNT / 50);
    expect(seen).toEqual([...new Set(seen)].sort((one, other) => other - one));
  });

  test("shows who, what, where from and the difference; a job has no user", async () => {
    const { items } = await listAuditEntries(root());
    expect(items[0]).toMatchObject({ actorKind: "job", actorId: null, actorName: "", action: "channel.revive" });
    expect(items[1]).toMatchObject({
      clientIp: "198.51.100.7",
      createdAt: T0 + COUNT - 1,
      difference: { kind: "keys", changes: [{ key: "weight", before: "2999", after: "3000" }] },
    });
  });

  test("filters by actor (name or id), action, subject or its beginning, and time", async () => {
    const count = async (search: Parameters<typeof listAuditEntries>[1]) =>
      (await listAuditEntries(root(), search)).items;
    expect((await count({ actor: "admin" })).every((row) => row.actorId === api.admin.id)).toBe(true);
    expect((await count({ actor: String(api.admin.id) })).every((row) => row.actorName === "admin")).toBe(true);
    expect(await count({ actor: "nobody-at-all" })).toEqual([]);
    expect(await count({ action: "user.manage" })).toHaveLength(30);
    expect(await count({ subject: "channel:4", from: T0, to: T0 + 99 })).toHaveLength(2);
    expect((await count({ subject: "channel:" })).length).toBe(30);
    expect(await count({ subject: "token:" })).toEqual([]);
    expect(await count({ from: T0 + 10, to: T0 + 12 })).toHaveLength(3);
  });

  test("names each action that occurs once", async () => {
    expect(await listAuditActions(root())).toEqual(["channel.revive", "channel.update", "user.manage"]);
  });

  test.each([
    ["actor", sql`actor_id = 2`, "audit_entries_actor_idx"],
    ["action", sql`action = 'user.manage'`, "audit_entries_action_idx"],
    ["subject", sql`subject = 'channel:7'`, "audit_entries_subject_idx"],
    ["none", sql`id < 2000`, "audit_entries_pkey"],
  ])("the filter on %s walks an index in its order", async (_what, condition, index) => {
    const rows = await api.database.db.execute<{ "QUERY PLAN": string }>(
      sql`explain select * from audit_entries where ${condition} order by id desc limit 31`,
    );
    const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
    expect(plan).toContain(index);
    expect(plan).not.toContain("Seq Scan");
  });
});
