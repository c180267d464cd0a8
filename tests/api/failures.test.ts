import { beforeAll, describe, expect, test } from "vitest";
import { usageHourly, usageLogs } from "@/db/schema";
import { addUnknownKeys, deleteOldUnknownKeys } from "@/lib/relay/admission/refusals/unknown-key-commands";
import { createRequestId } from "@/lib/relay/base/request-id";
import { countByTime } from "@/lib/usage-log/bar-queries";
import { listFailureGroups } from "@/lib/usage-log/failure-queries";
import { listLogs } from "@/lib/usage-log/queries";
import { findRequest } from "@/lib/usage-log/request-queries";
import { listUnknownKeys } from "@/lib/usage-log/unknown-key-queries";
import { setUpApi } from "./harness";
import { asAdmin, asUser } from "./list-filters/actors";

/** Failed requests can be found: grouped by cause, over time, and by the id that an error shows. */
const now = Math.floor(Date.now() / 1000);
const hour = now - (now % 3_600);
const api = setUpApi();

async function insert(rows: Partial<typeof usageLogs.$inferInsert>[]): Promise<void> {
  await api.database.db.insert(usageLogs).values(
    rows.map((row) => ({
      requestId: createRequestId(),
      createdAt: now - 60,
      type: 5,
      userId: api.alice.id,
      username: "alice",
      modelName: "gpt-4o",
      statusCode: 502,
      errorCode: "bad_response",
      errorCause: "status #",
      ...row,
    })),
  );
}

beforeAll(async () => {
  const { db } = api.database;
  await insert([
    { channelId: 7 },
    { channelId: 7, createdAt: now - 120, userId: api.bob.id, username: "bob" },
    { channelId: 8 },
    { statusCode: 429, errorCode: "rate_limit", errorCause: "slow", repeats: 99, requestId: "counted-row" },
    { hidden: true },
    { createdAt: now - 40 * 86_400 },
  ]);
  // Of this hour, which is not in the hourly sums yet.
  const createdAt = Math.max(hour, now - 30);
  await insert([{ type: 2, statusCode: null, errorCode: "", errorCause: "", createdAt }]);
  await db.insert(usageHourly).values({
    hour: hour - 48 * 3_600,
    userId: api.alice.id,
    tokenId: 0,
    channelId: 7,
    modelName: "gpt-4o",
    group: "default",
    count: 5,
    quota: 1,
  });
});

describe("groups of failed requests", () => {
  test("count requests, not rows, and tell administrators the channel and how many users", async () => {
    const { groups, isPart } = await listFailureGroups(asAdmin(api), { startTimestamp: now - 3_600 });
    expect(isPart).toBe(false);
    expect(groups).toMatchObject([
      { code: "rate_limit", status: 429, count: 100, users: 1, channelId: 0 },
      { code: "bad_response", channelId: 7, count: 2, users: 2, firstAt: now - 120, lastAt: now - 60 },
      { code: "bad_response", channelId: 8, count: 1, users: 1 },
    ]);
  });

  test("of an ordinary user are those of the own requests, without channels and users", async () => {
    const { groups } = await listFailureGroups(asUser(api), { startTimestamp: now - 3_600 });
    expect(groups.map(({ count }) => count)).toEqual([100, 2]);
    expect(JSON.stringify(groups)).not.toMatch(/channel|users/);
    await expect(listFailureGroups(asUser(api), { scope: "all" })).rejects.toThrow();
  });

  test("have a filter each that finds their rows", async () => {
    const search = { errorCode: "bad_response", errorCause: "status #", statusCode: 502, startTimestamp: now - 3_600 };
    expect((await listLogs(asAdmin(api), { ...search, channelId: 8 })).total).toBe(1);
    expect((await listLogs(asUser(api), search)).total).toBe(2);
  });
});

describe("requests and errors over time", () => {
  const sum = (bars: { requests: number; errors: number }[] = []) => ({
    requests: bars.reduce((all, { requests }) => all + requests, 0),
    errors: bars.reduce((all, { errors }) => all + errors, 0),
  });

  test("are counted for the filters, with what was only counted", async () => {
    const found = await countByTime(asAdmin(api), { startTimestamp: now - 900, endTimestamp: now });
    expect(found?.stepSeconds).toBe(60);
    expect(sum(found?.bars)).toEqual({ requests: 1, errors: 103 });
    const own = await countByTime(asUser(api), { startTimestamp: now - 900, statusCode: 429 });
    expect(sum(own?.bars)).toEqual({ requests: 0, errors: 100 });
  });

  test("of long times come from the hourly sums, in at most 63 bars, none of them in the future", async () => {
    const found = await countByTime(asAdmin(api), { startTimestamp: now - 30 * 86_400, endTimestamp: now + 3_600 });
    expect(sum(found?.bars)).toEqual({ requests: 6, errors: 103 });
    expect(found?.bars.length).toBeLessThanOrEqual(63);
    expect(found?.bars.at(-1)?.start).toBeLessThanOrEqual(now + 1);
  });

  test("are none for what is no request, for one request, and for no start", async () => {
    expect(await countByTime(asAdmin(api), { type: 1, startTimestamp: now - 60 })).toBeNull();
    expect(await countByTime(asAdmin(api), { requestId: "x", startTimestamp: now - 60 })).toBeNull();
    expect(await countByTime(asAdmin(api), {})).toBeNull();
  });
});

describe("this request failed", () => {
  test("finds the row in whatever the id was pasted with, the own ones only", async () => {
    const id = createRequestId();
    await insert([{ requestId: id }]);
    for (const text of [
      id,
      ` ${id.toUpperCase()}\n`,
      `no such model (request id: ${id})`,
      `{"id":"${id.replaceAll("-", "")}"}`,
    ])
      expect(await findRequest(asUser(api), text)).toEqual({ kind: "found", requestId: id });
    expect(await findRequest(asAdmin(api), id)).toMatchObject({ kind: "found" });
    const others = createRequestId();
    await insert([{ requestId: others, userId: api.bob.id, createdAt: now - 7_000 }]);
    const unused = createRequestId();
    const answer = await findRequest(asUser(api), others);
    // Whether it exists must not show.
    expect(answer.kind).toBe((await findRequest(asUser(api), unused)).kind);
  });

  test("says what is known where there is no row", async () => {
    const at = (seconds: number) => createRequestId(seconds * 1_000);
    const find = (text: string) => findRequest(asUser(api), text);
    expect(await find("nonsense")).toEqual({ kind: "noId" });
    expect(await find("'; drop table usage_logs; --")).toEqual({ kind: "noId" });
    expect(await find("x".repeat(1_000_000))).toEqual({ kind: "noId" });
    expect(await find("c0ffee00-0000-4000-8000-000000000000")).toEqual({ kind: "foreign" });
    expect(await find("ffffffff-ffff-7fff-8fff-ffffffffffff")).toEqual({ kind: "foreign" });
    expect(await find(at(now - 10))).toMatchObject({ kind: "running", at: now - 10 });
    expect(await find(at(now - 7_200))).toMatchObject({ kind: "absent" });
    expect(await find(at(now - 10 * 86_400))).toMatchObject({ kind: "hidden" });
    expect(await find(at(now - 70))).toMatchObject({ kind: "counted", repeats: 99, requestId: "counted-row" });
  });
});

test("administrators see where requests with unknown keys came from, users do not, and old counts go", async () => {
  const { sql } = api.database;
  const week = hour - 8 * 86_400;
  for (let i = 0; i < 2; i++)
    await addUnknownKeys(sql, [
      { hour, address: "192.0.2.1", count: 3 },
      { hour: hour - 3_600, address: "192.0.2.1", count: 1 },
      { hour, address: "", count: 20 },
      { hour: week, address: "192.0.2.9", count: 99 },
    ]);
  const time = { from: now - 86_400, until: now };
  expect(await listUnknownKeys(asAdmin(api), time)).toEqual([
    { address: "", count: 40, lastHour: hour },
    { address: "192.0.2.1", count: 8, lastHour: hour },
  ]);
  await expect(listUnknownKeys(asUser(api), time)).rejects.toMatchObject({ code: "forbidden" });
  expect(await deleteOldUnknownKeys(sql, now)).toBe(1);
  expect(await listUnknownKeys(asAdmin(api), { from: 0, until: now })).toHaveLength(2);
});
