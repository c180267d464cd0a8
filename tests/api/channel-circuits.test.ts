import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import * as channelApi from "@/app/api/channel/[[...path]]/route";
import { auditEntries, channelCircuits, channels, notifications } from "@/db/schema";
import { tellOfLongOpenCircuits } from "@/lib/channel/circuit-commands";
import { call, setUpApi } from "./harness";

const api = setUpApi();
const admin = async (line: string, body?: unknown) => (await call(channelApi, line, { as: api.admin, body })).json;
let id: number;

beforeEach(async () => {
  await api.database.db.delete(channels);
  await api.database.db.delete(notifications);
  const [row] = await api.database.db.insert(channels).values({ name: "one", keyCipher: "" }).returning();
  id = row?.id ?? 0;
});

type Values = Partial<typeof channelCircuits.$inferInsert>;
const inMs = (ms: number) => new Date(Date.now() + ms);
const open = (model: string, values: Values = {}) =>
  api.database.db
    .insert(channelCircuits)
    .values({ channelId: id, model, cause: "timeout", openUntil: inMs(20_000), ...values });

describe("open circuits of a channel", () => {
  test("list, search and row name model, cause and the time left; closed ones are left out", async () => {
    await open("gpt-4o", { openedAt: inMs(-60_000) });
    await open("o3", { cause: "key", openUntil: inMs(-1_000), probeUntil: inMs(9_000) });
    await open("o4", { closedAt: new Date() });
    for (const line of ["GET /api/channel/", "GET /api/channel/search?keyword=one"]) {
      expect((await admin(line)).data).toMatchObject([{ id, circuits: [{ model: "gpt-4o" }, { model: "o3" }] }]);
    }
    const { circuits } = (await admin(`GET /api/channel/${id}`)).data;
    expect(circuits).toMatchObject([
      { model: "gpt-4o", cause: "timeout", probing: false },
      { model: "o3", cause: "key", rest_seconds: 0, probing: true },
    ]);
    expect(circuits[0].rest_seconds).toBeGreaterThan(10);
    expect(Math.abs(circuits[0].opened_at - Date.now() / 1_000 + 60)).toBeLessThan(10);
  });

  test("an administrator closes one by hand: audited, told to all processes, and only once", async () => {
    await open("gpt-4o", { level: 5 });
    await open("o3");
    const heard: string[] = [];
    const { unlisten } = await api.database.sql.listen("weir", (text) => void heard.push(text));
    expect((await admin(`DELETE /api/channel/circuits/${id}`, { model: "gpt-4o" })).success).toBe(true);
    await expect.poll(() => heard).toContain(`circuits:${id}`);
    await unlisten();
    const rows = await api.database.db.select().from(channelCircuits).where(eq(channelCircuits.model, "gpt-4o"));
    expect(rows).toMatchObject([{ level: 0, closedAt: expect.any(Date) }]);
    expect((await admin(`GET /api/channel/${id}`)).data.circuits).toMatchObject([{ model: "o3" }]);
    const audits = await api.database.db
      .select()
      .from(auditEntries)
      .where(eq(auditEntries.subject, `channel:${id}`));
    expect(audits).toMatchObject([
      { action: "channel.circuit-close", before: { model: "gpt-4o", cause: "timeout" }, actorId: api.admin.id },
    ]);
    expect((await admin(`DELETE /api/channel/circuits/${id}`, { model: "gpt-4o" })).message).toBe("该模型当前没有熔断");
  });

  test("an ordinary user closes none", async () => {
    await open("gpt-4o");
    const line = `DELETE /api/channel/circuits/${id}`;
    const { json } = await call(channelApi, line, { as: api.alice, body: { model: "gpt-4o" } });
    expect(json.success).toBe(false);
    expect((await admin(`GET /api/channel/${id}`)).data.circuits).toHaveLength(1);
  });
});

describe("root is told", () => {
  const told = async () =>
    (await api.database.db.select().from(notifications)).map(({ event, params }) => [event, params]);

  test("of a channel that has been failing for over ten minutes, once, however many models and minutes", async () => {
    await open("gpt-4o", { openedAt: inMs(-11 * 60_000) });
    await open("o3", { openedAt: inMs(-15 * 60_000), cause: "key" });
    for (let i = 0; i < 3; i++) await tellOfLongOpenCircuits(api.database.sql);
    const params = { channelId: id, channelName: "one", model: "o3", cause: "key", minutes: 15 };
    expect(await told()).toEqual([["circuit_open", params]]);
  });

  test("not of one that opened lately, is closed, or that nobody has asked since", async () => {
    await open("gpt-4o", { openedAt: inMs(-9 * 60_000) });
    await open("o3", { openedAt: inMs(-60 * 60_000), closedAt: new Date() });
    await open("o4", { openedAt: inMs(-60 * 60_000), openUntil: inMs(-30 * 60_000) });
    await tellOfLongOpenCircuits(api.database.sql);
    expect(await told()).toEqual([]);
  });
});
