import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Actor, ServiceContext } from "@/lib/context";
import { seal } from "@/lib/crypto";
import { isModelGroups } from "@/lib/model-groups";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { rewriteBooks } from "@/lib/testing/rewrite-books";
import { deleteIncident, saveIncident } from "./commands";
import { conditionOf, forgetStatusPage, getStatusPage, STATUS_DAYS } from "./queries";
import type { SaveIncidentInput } from "./schemas";

let database: TestDatabase;
const NOW = Math.floor(Date.now() / 1_000);
const DAY = 86_400;
const TODAY = NOW - (NOW % DAY);

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  await rewriteBooks(
    database.sql,
    (tx) => tx`truncate usage_logs, model_hourly, job_positions, channels, options, status_incidents cascade`,
  );
  forgetStatusPage(database.sql);
  await database.sql`
    insert into channels (name, models, "group", base_url, key_cipher) values
      ('secret-channel', 'gpt-4o,o3', 'default', 'https://secret.example', ${seal("sk-secret")})`;
  await database.sql`insert into job_positions (job, position) values ('model-health', ${NOW - (NOW % 3_600)})`;
});

function as(role: number | null): ServiceContext {
  const actor: Actor =
    role === null
      ? { type: "anonymous" }
      : { type: "user", id: 2, username: "u", role, group: "default", via: "session" };
  return { db: database.db, sql: database.sql, actor, clientIp: "" };
}

async function hours(model: string, hour: number, succeeded: number, failed: number): Promise<void> {
  await database.sql`
    insert into model_hourly (hour, model_name, succeeded, failed, latency_buckets, first_token_buckets)
    values (${hour}, ${model}, ${succeeded}, ${failed}, '{}', '{}')`;
}

async function entryOf(name: string) {
  const entry = (await getStatusPage(as(null), true)).entries.find((one) => one.name === name);
  if (!entry) throw new Error(`no ${name}`);
  return entry;
}

const incident: SaveIncidentInput = {
  id: null,
  titleEn: "Slow answers",
  titleZh: "",
  textEn: "We look into it.",
  textZh: "",
  state: "investigating",
  startedAt: NOW - 600,
  resolvedAt: null,
};

test("while it is off there is no page, whoever asks", async () => {
  await expect(getStatusPage(as(null), false)).rejects.toMatchObject({ code: "not_found" });
  await expect(getStatusPage(as(100), false)).rejects.toMatchObject({ code: "not_found" });
});

test("each day has its condition, and a day without traffic is unknown, never up", async () => {
  await hours("gpt-4o", TODAY - DAY, 100, 0);
  await hours("gpt-4o", TODAY - 2 * DAY, 80, 20);
  await hours("gpt-4o", TODAY - 3 * DAY, 10, 90);
  await hours("gpt-4o", TODAY - 4 * DAY, 4, 0);
  await hours("gpt-4o", TODAY - STATUS_DAYS * DAY, 0, 1_000);
  const { days, now, uptime } = await entryOf("gpt-4o");
  expect(days).toHaveLength(STATUS_DAYS);
  expect(days.slice(-6).map(({ condition }) => condition)).toEqual([
    "unknown",
    "unknown",
    "down",
    "degraded",
    "up",
    "unknown",
  ]);
  expect(now).toBe("unknown");
  expect(uptime).toBe(194 / 304);
});

test("now is what the last requests came to; a model that no enabled channel serves is down", async () => {
  for (let i = 0; i < 6; i++)
    await database.sql`
      insert into usage_logs (request_id, created_at, type, user_id, channel_id, model_name, other)
      values (${`s${i}`}, ${NOW}, ${i < 4 ? 2 : 5}, 1, 1, 'gpt-4o', '{"status_code": 502}')`;
  expect((await entryOf("gpt-4o")).now).toBe("degraded");
  await database.sql`
    insert into options (key, value) values ('StatusPageGroups', '{"Chat": ["gpt-4o", "o3"], "Old": ["gone"]}')`;
  forgetStatusPage(database.sql);
  expect((await entryOf("Chat")).now).toBe("degraded");
  expect((await entryOf("Old")).now).toBe("down");
});

test("says nothing of channels, keys, addresses or volumes", async () => {
  await hours("gpt-4o", TODAY - DAY, 123_456, 654);
  const text = JSON.stringify(await getStatusPage(as(null), true));
  expect(text).toContain("gpt-4o");
  expect(text).not.toMatch(/secret|123456|124110|succeeded|failed|count|quota/);
});

test("a crowd costs the database one reading a minute", async () => {
  const first = await getStatusPage(as(null), true);
  await database.sql`delete from channels`;
  const all = await Promise.all(Array.from({ length: 500 }, (_, i) => getStatusPage(as(i % 2 ? null : 1), true)));
  expect(all.every((page) => page === first)).toBe(true);
});

test("who edits incidents sees what another process has published at once, others within a minute", async () => {
  await getStatusPage(as(null), true);
  await database.sql`
    insert into status_incidents (title_en, title_zh, text_en, text_zh, state, started_at)
    values ('Elsewhere', '', '', '', 'investigating', ${NOW})`;
  expect((await getStatusPage(as(10), true)).incidents).toMatchObject([{ titleEn: "Elsewhere" }]);
  for (const role of [null, 1]) expect((await getStatusPage(as(role), true)).incidents).toEqual([]);
});

test("an administrator publishes, changes and deletes an incident, which shows at once and is audited; nobody else can", async () => {
  for (const role of [null, 1])
    await expect(saveIncident(as(role), incident)).rejects.toMatchObject({
      code: role === null ? "unauthenticated" : "forbidden",
    });
  await getStatusPage(as(null), true);
  const id = await saveIncident(as(10), incident);
  const shown = async () => (await getStatusPage(as(null), true)).incidents;
  expect(await shown()).toEqual([{ ...incident, id }]);
  await saveIncident(as(10), { ...incident, id, state: "resolved", resolvedAt: NOW });
  expect(await shown()).toEqual([expect.objectContaining({ state: "resolved", resolvedAt: NOW })]);
  await expect(deleteIncident(as(1), id)).rejects.toMatchObject({ code: "forbidden" });
  await deleteIncident(as(10), id);
  expect(await shown()).toEqual([]);
  const audits = await database.sql`select action from audit_entries order by id`;
  expect(audits.map(({ action }) => action)).toEqual(["incident.create", "incident.update", "incident.delete"]);
});

test.each([
  ["without a title", { titleEn: " " }],
  ["resolved before it began", { state: "resolved", resolvedAt: NOW - 700 }],
  ["resolved without a time", { state: "resolved" }],
  ["going on with an end", { resolvedAt: NOW }],
  ["at no time", { startedAt: Number.NaN }],
  ["in an unknown state", { state: "fine" }],
] as const)("an incident %s is refused and changes nothing", async (_, change) => {
  const input = { ...incident, ...change } as SaveIncidentInput;
  await expect(saveIncident(as(10), input)).rejects.toMatchObject({ code: "invalid" });
  expect((await getStatusPage(as(null), true)).incidents).toEqual([]);
});

test("few requests are no condition, and groups are names with lists of models", () => {
  expect(conditionOf({ succeeded: 4, failed: 0 })).toBe("unknown");
  expect(conditionOf({ succeeded: 98, failed: 2 })).toBe("up");
  expect(isModelGroups({ Chat: ["gpt-4o"] })).toBe(true);
  for (const bad of [null, [], { "": ["a"] }, { a: [] }, { a: "b" }, { a: [1] }, { a: [""] }])
    expect(isModelGroups(bad)).toBe(false);
});
