// A draft of priorities, weights and switches must be judged by the relay's own choice, over what was really asked, and
// nothing may change before it is applied.
import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { channels, usageHourly, usageLogs } from "@/db/schema";
import type { ServiceContext } from "@/lib/context";
import { seal } from "@/lib/crypto";
import { applyRouting } from "@/lib/pricing/routing/commands";
import { listRouting, previewRouting } from "@/lib/pricing/routing/preview-queries";
import { rewriteBooks } from "@/lib/testing/rewrite-books";
import { type Person, setUpApi } from "./harness";

const api = setUpApi();
const now = Math.floor(Date.now() / 1000);

const as = ({ id, username }: Person, role: number): ServiceContext => ({
  db: api.database.db,
  sql: api.database.sql,
  clientIp: "",
  actor: { type: "user", id, username, role, group: "default", via: "session" },
});
const admin = () => as(api.admin, 10);

async function logRequests(count: number, model = "gpt-4o", group = "default"): Promise<void> {
  await api.database.db.insert(usageLogs).values(
    Array.from({ length: count }, () => ({
      requestId: randomUUID(),
      createdAt: now - 3_600,
      userId: api.alice.id,
      channelId: 1,
      modelName: model,
      group,
      quota: 2_000,
      promptTokens: 1_000,
      other: { group_ratio: 1 },
    })),
  );
  await api.database.sql`
    insert into usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", count)
    values (${now - (now % 3_600)}, 1, 0, 1, ${model}, ${group}, ${count})`;
}

const channel = (id: number, values: Partial<typeof channels.$inferInsert> = {}) => ({
  id,
  name: `c${id}`,
  type: 1,
  models: "gpt-4o",
  group: "default",
  keyCipher: seal("sk"),
  ...values,
});
const cost = (input: number) => JSON.stringify({ cost_prices: { "gpt-4o": { input } } });

beforeEach(async () => {
  await rewriteBooks(api.database.sql, (tx) => tx`truncate usage_logs, usage_hourly`);
  await api.database.sql`delete from channels`;
  await api.database.db
    .insert(channels)
    .values([
      channel(1, { priority: 5, setting: cost(2) }),
      channel(2, { priority: 5, weight: 10, setting: cost(1) }),
      channel(3, { status: 2 }),
    ]);
  await api.database.db.delete(usageHourly);
});

const rowOf = (effect: Awaited<ReturnType<typeof previewRouting>>, id: number) =>
  effect.channels.find((row) => row.id === id);

describe("a draft of routing", () => {
  test("that changes nothing has no effect, and shares follow the weights", async () => {
    await logRequests(600);
    const effect = await previewRouting(admin(), { channels: [] });
    for (const row of effect.channels) expect(row.after).toEqual(row.before);
    const [one, two] = [rowOf(effect, 1), rowOf(effect, 2)];
    expect([one?.actual, two?.actual]).toEqual([600, 0]);
    expect((one?.before.requests ?? 0) + (two?.before.requests ?? 0)).toBe(600);
    // Weights 0 and 10 are parts of 10 and 20.
    expect(Math.abs((two?.before.requests ?? 0) - 400)).toBeLessThan(60);
    expect(effect.coverage).toMatchObject({ read: 600, requests: 600, oneOf: 1 });
  });

  test("moves requests with what they bring in and cost", async () => {
    await logRequests(50);
    const effect = await previewRouting(admin(), {
      channels: [{ id: 2, priority: 9, weight: 0, isEnabled: true }],
    });
    expect(rowOf(effect, 2)?.after).toEqual({ requests: 50, revenue: 100_000, cost: 25_000, unknown: 0 });
    expect(rowOf(effect, 1)?.after).toEqual({ requests: 0, revenue: 0, cost: 0, unknown: 0 });
  });

  test("says which requests would have had no channel, and that a cost is not known", async () => {
    await logRequests(7);
    await logRequests(3, "other-model", "vip");
    await api.database.sql`update channels set setting = '{"cost_factor": "?"}' where id = 3`;
    const off = await previewRouting(admin(), {
      channels: [1, 2].map((id) => ({ id, priority: 0, weight: 0, isEnabled: false })),
    });
    expect(off.noneBefore).toEqual([{ group: "vip", model: "other-model", requests: 3 }]);
    expect(off.noneAfter).toContainEqual({ group: "default", model: "gpt-4o", requests: 7 });
    const third = await previewRouting(admin(), {
      channels: [{ id: 3, priority: 99, weight: 0, isEnabled: true }],
    });
    expect(rowOf(third, 3)?.after).toMatchObject({ requests: 7, cost: 0, unknown: 7 });
  });

  test("a channel without an enabled key takes part in neither", async () => {
    await logRequests(5);
    await api.database
      .sql`insert into channel_keys (channel_id, key_cipher, fingerprint, status) values (1, 'x', 'f', 3)`;
    const effect = await previewRouting(admin(), { channels: [] });
    expect(rowOf(effect, 1)?.before.requests).toBe(0);
    expect(rowOf(effect, 2)?.before.requests).toBe(5);
    expect((await listRouting(admin())).find(({ id }) => id === 1)?.isEnabled).toBe(false);
  });

  test("is for administrators, and writes nothing", async () => {
    const before = await api.database.db.select().from(channels);
    await previewRouting(admin(), { channels: [{ id: 1, priority: 1, weight: 1, isEnabled: false }] });
    expect(await api.database.db.select().from(channels)).toEqual(before);
    const alice = as(api.alice, 1);
    await expect(previewRouting(alice, { channels: [] })).rejects.toMatchObject({ code: "forbidden" });
    await expect(listRouting(alice)).rejects.toMatchObject({ code: "forbidden" });
    await expect(applyRouting(alice, { channels: [] })).rejects.toMatchObject({ code: "forbidden" });
  });
});

describe("applying a draft of routing", () => {
  const seen = { priority: 5, weight: 0, isEnabled: true };

  test("sets all of it at once, with its audit", async () => {
    const applied = await applyRouting(admin(), {
      channels: [
        { id: 1, priority: 7, weight: 3, isEnabled: false, seen },
        { id: 3, priority: 0, weight: 0, isEnabled: true, seen: { priority: 0, weight: 0, isEnabled: false } },
      ],
    });
    expect(applied).toEqual({ count: 2 });
    const rows = await api.database.sql`select id, priority, weight, status from channels order by id`;
    expect([...rows]).toEqual([
      { id: 1, priority: 7, weight: 3, status: 2 },
      { id: 2, priority: 5, weight: 10, status: 1 },
      { id: 3, priority: 0, weight: 0, status: 1 },
    ]);
    const audits = await api.database.sql`select subject from audit_entries where subject like 'channel:%' order by id`;
    expect(audits.map(({ subject }) => subject)).toEqual(["channel:1", "channel:3"]);
  });

  test("is refused as a whole when a channel was changed since, or is gone", async () => {
    await api.database.sql`update channels set weight = 4 where id = 1`;
    const change = { id: 1, priority: 7, weight: 3, isEnabled: false, seen };
    const other = { id: 2, priority: 1, weight: 1, isEnabled: true, seen: { ...seen, weight: 10 } };
    await expect(applyRouting(admin(), { channels: [other, change] })).rejects.toMatchObject({
      code: "conflict",
      messageKey: "routingChanged",
    });
    await expect(applyRouting(admin(), { channels: [other, { ...other, id: 99 }] })).rejects.toMatchObject({
      code: "not_found",
    });
    const [row] = await api.database.sql`select priority from channels where id = 2`;
    expect(row?.priority).toBe(5);
  });

  test("changes a channel none of whose keys is enabled, which the list shows as off, and enables its keys again", async () => {
    await api.database
      .sql`insert into channel_keys (channel_id, key_cipher, fingerprint, status) values (1, 'x', 'f', 3)`;
    const off = { ...seen, isEnabled: false };
    await applyRouting(admin(), { channels: [{ id: 1, ...off, priority: 6, seen: off }] });
    await applyRouting(admin(), { channels: [{ id: 1, ...seen, priority: 6, seen: { ...off, priority: 6 } }] });
    const [row] = await api.database.sql`
      select priority, channels.status, k.status as key from channels join channel_keys k on k.channel_id = channels.id`;
    expect(row).toEqual({ priority: 6, status: 1, key: 1 });
  });

  test("can be taken back at once by the opposite draft", async () => {
    const before = await listRouting(admin());
    const to = { priority: 7, weight: 3, isEnabled: false };
    await applyRouting(admin(), { channels: [{ id: 1, ...to, seen }] });
    await applyRouting(admin(), { channels: [{ id: 1, ...seen, seen: to }] });
    expect(await listRouting(admin())).toEqual(before);
  });
});
