import { beforeAll, describe, expect, test } from "vitest";
import * as dataApi from "@/app/api/data/[[...path]]/route";
import * as mjApi from "@/app/api/mj/[[...path]]/route";
import * as taskApi from "@/app/api/task/[[...path]]/route";
import { options, tasks, usageHourly } from "@/db/schema";
import { call, type Person, setUpApi, type Table } from "./harness";

const api = setUpApi();
const HOUR = 1_790_000_000 - (1_790_000_000 % 3_600);

beforeAll(async () => {
  const { db } = api.database;
  const drawing = (owner: Person, n: number) => ({
    userId: owner.id,
    action: "IMAGINE",
    createdAt: n,
    updatedAt: n,
    platform: "mj",
    taskId: `mj-${owner.username}-${n}`,
    submitTime: n * 1_000,
    channelId: n % 2 ? 7 : 8,
    results: ["https://cdn.example/a.png"],
    status: "SUCCESS",
    code: 1,
  });
  const task = (owner: Person, n: number) => ({
    userId: owner.id,
    createdAt: n,
    updatedAt: n,
    submitTime: n * 1_000,
    taskId: `task-${owner.username}-${n}`,
    platform: "suno",
    action: n % 2 ? "MUSIC" : "LYRICS",
    status: "SUCCESS",
    channelId: 9,
    data: { title: "song" },
  });
  const twelve = Array.from({ length: 12 }, (_, i) => i + 1);
  await db.insert(tasks).values(twelve.flatMap((n) => [drawing(api.alice, n), drawing(api.bob, n)]));
  await db.insert(tasks).values(twelve.flatMap((n) => [task(api.alice, n), task(api.bob, n)]));
  const hourly = (owner: Person, modelName: string, hour: number, quota: number) => ({
    userId: owner.id,
    tokenId: quota,
    channelId: 1,
    modelName,
    group: "default",
    hour,
    quota,
    count: 2,
    promptTokens: 10,
    completionTokens: 5,
  });
  await db
    .insert(usageHourly)
    .values([
      hourly(api.alice, "gpt-4o", HOUR, 100),
      hourly(api.alice, "gpt-4o", HOUR + 3_600, 50),
      hourly(api.bob, "gpt-4o", HOUR, 7),
      hourly(api.bob, "o3", HOUR, 3),
    ]);
});

const get = async (table: Table, path: string, as: Person) => (await call(table, `GET ${path}`, { as })).json;
const ids = (rows: Record<string, string>[], key: string) => rows.map((row) => row[key]);

describe("GET /api/mj/ (B148, B252)", () => {
  test("is a plain list, newest first, pages count from 0 and hold 10", async () => {
    const { data } = await get(mjApi, "/api/mj/self/?p=0", api.alice);
    expect(data).toHaveLength(10);
    expect(data[0]).toMatchObject({ mj_id: "mj-alice-12", submit_time: 12_000, code: 1, prompt_en: "" });
    expect(ids((await get(mjApi, "/api/mj/self?p=1", api.alice)).data, "mj_id")).toEqual(["mj-alice-2", "mj-alice-1"]);
  });

  test("filters by id, channel and time in milliseconds; channels are for administrators (B104, B208)", async () => {
    const all = await get(mjApi, "/api/mj/?channel_id=7&start_timestamp=11000&end_timestamp=11000", api.admin);
    expect(ids(all.data, "mj_id").sort()).toEqual(["mj-alice-11", "mj-bob-11"]);
    expect(all.data[0].channel_id).toBe(7);
    expect(ids((await get(mjApi, "/api/mj/?mj_id=mj-bob-3", api.admin)).data, "mj_id")).toEqual(["mj-bob-3"]);
    const own = await get(mjApi, "/api/mj/self?channel_id=7&mj_id=mj-alice-2", api.alice);
    expect(own.data).toMatchObject([{ mj_id: "mj-alice-2", channel_id: 0 }]);
    expect((await get(mjApi, "/api/mj/self?mj_id=mj-bob-3", api.alice)).data).toEqual([]);
    expect((await get(mjApi, "/api/mj/", api.alice)).success).toBe(false);
  });

  test("image addresses go through this site only while MjForwardUrlEnabled says so (B322)", async () => {
    const image = async () => (await get(mjApi, "/api/mj/self?mj_id=mj-alice-1", api.alice)).data[0].image_url;
    expect(await image()).toMatch(/\/mj\/image\/mj-alice-1$/);
    await api.database.db.insert(options).values({ key: "MjForwardUrlEnabled", value: "false" });
    expect(await image()).toBe("https://cdn.example/a.png");
  });
});

describe("GET /api/task/ (B149, B253)", () => {
  test("is a plain list with the same filters; users see their own without channels (B108)", async () => {
    const { data } = await get(taskApi, "/api/task/self", api.bob);
    expect(data).toHaveLength(10);
    expect(data[0]).toMatchObject({ task_id: "task-bob-12", channel_id: 0, platform: "suno", data: { title: "song" } });
    const filtered = await get(taskApi, "/api/task/?action=MUSIC&start_timestamp=11&channel_id=9", api.admin);
    expect(ids(filtered.data, "task_id").sort()).toEqual(["task-alice-11", "task-bob-11"]);
    expect((await get(taskApi, "/api/task/?channel_id=8", api.admin)).data).toEqual([]);
    expect((await get(taskApi, "/api/task/", api.bob)).success).toBe(false);
  });
});

describe("GET /api/data/ (B254)", () => {
  const window = `start_timestamp=${HOUR}&end_timestamp=${HOUR + 7_200}`;

  test("administrators see everybody's sums by model and hour, or one user's", async () => {
    const { data } = await get(dataApi, `/api/data/?${window}`, api.admin);
    expect(data).toEqual([
      { model_name: "gpt-4o", created_at: HOUR, count: 4, quota: 107, token_used: 30 },
      { model_name: "o3", created_at: HOUR, count: 2, quota: 3, token_used: 15 },
      { model_name: "gpt-4o", created_at: HOUR + 3_600, count: 2, quota: 50, token_used: 15 },
    ]);
    const one = await get(dataApi, `/api/data/?${window}&username=BOB`, api.admin);
    expect(one.data.map(({ quota }: { quota: number }) => quota)).toEqual([7, 3]);
    expect((await get(dataApi, `/api/data/?${window}&username=nobody`, api.admin)).data).toEqual([]);
    expect((await get(dataApi, `/api/data/?${window}`, api.alice)).success).toBe(false);
  });

  test("users see their own, at most 30 days at a time", async () => {
    const own = await get(dataApi, `/api/data/self?${window}`, api.alice);
    expect(own.data.map(({ quota }: { quota: number }) => quota)).toEqual([100, 50]);
    const long = await get(dataApi, `/api/data/self?start_timestamp=0&end_timestamp=${HOUR}`, api.alice);
    expect(long).toEqual({ success: false, message: "时间跨度不能超过 30 天" });
    const backwards = await get(dataApi, "/api/data/self?start_timestamp=9&end_timestamp=3", api.alice);
    expect(backwards).toEqual({ success: false, message: "时间范围无效" });
  });
});
