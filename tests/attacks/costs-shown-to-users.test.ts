// What upstreams take is the operator's business. An ordinary user looks for it in every answer about their requests: lists,
// searches, sums, exports, the live tail, the view by API key, statistics, and the document of the API.
import { beforeAll, describe, expect, test } from "vitest";
import { GET as exportRoute } from "@/app/(console)/log/export/route";
import { GET as tailRoute } from "@/app/(console)/log/tail/route";
import * as dataApi from "@/app/api/data/[[...path]]/route";
import * as logApi from "@/app/api/log/[[...path]]/route";
import { describeApi } from "@/app/api/openapi.json/document";
import * as userApi from "@/app/api/user/[[...path]]/route";
import { channels, tokens, usageHourly, usageLogs } from "@/db/schema";
import type { ServiceContext } from "@/lib/context";
import { randomAlphanumeric, seal, sha256Hex } from "@/lib/crypto";
import { readDashboard } from "@/lib/statistics/dashboard-queries";
import { listLogs } from "@/lib/usage-log/queries";
import { call, type Person, setUpApi } from "../api/harness";

const api = setUpApi();
const now = Math.floor(Date.now() / 1_000);
const key = randomAlphanumeric(48);

/** Figures that stand nowhere else. */
const COST = 73_519_284;
const UNBILLED = 61_840_357;
const FACTOR = 0.8462913;
const FIGURES = new RegExp([COST, UNBILLED, FACTOR, COST - 90, COST - UNBILLED].join("|").replaceAll(".", "\\."));
const NAMES = /"(unbilled_?cost|unknown_?costs?|cost|bought|margin|admin_info|loss)"/i;

const row = (of: Person, more: object = {}) => ({
  requestId: `row-${of.id}-${JSON.stringify(more).length}`,
  createdAt: now - 50,
  userId: of.id,
  username: of.username,
  tokenId: 1,
  tokenName: "main",
  channelId: 7,
  modelName: "gpt-4o",
  group: "default",
  quota: 90,
  cost: COST,
  unbilledCost: UNBILLED,
  unknownCosts: 1,
  other: {
    model_ratio: 1,
    admin_info: { use_channel: ["7"], cost: { factor: FACTOR }, attempts: [{ channel: 7, cost: COST }] },
  },
  ...more,
});

beforeAll(async () => {
  const { db } = api.database;
  const setting = JSON.stringify({ cost_factor: FACTOR });
  await db.insert(channels).values({ id: 7, name: "seven", keyCipher: "x", setting });
  await db
    .insert(tokens)
    .values({ id: 1, userId: api.alice.id, keyHash: sha256Hex(key), keyCipher: seal(key), keyHint: "", name: "main" });
  await db.insert(usageLogs).values([row(api.alice), row(api.alice, { type: 5, quota: 0, content: "5 failed" })]);
  await db.insert(usageHourly).values({
    hour: now - (now % 3_600),
    userId: api.alice.id,
    tokenId: 1,
    channelId: 7,
    modelName: "gpt-4o",
    group: "default",
    count: 1,
    quota: 90,
    cost: COST,
    unbilledCost: UNBILLED,
    unknownCosts: 1,
  });
});

/** `text` has the user's row, and nothing of its cost. */
function expectSilent(text: string): void {
  expect(text).not.toMatch(FIGURES);
  expect(text).not.toMatch(NAMES);
}

const contextOf = ({ id, username }: Person): ServiceContext => ({
  ...api.database,
  actor: { type: "user", id, username, role: 1, group: "default", via: "session" },
  clientIp: "",
});

const headersOf = ({ cookie }: Person) => ({ cookie, "x-forwarded-for": "198.51.100.7" });

async function firstOfTail(path: string, as: Person): Promise<string> {
  const stop = new AbortController();
  const request = new Request(`http://weir.example/log/${path}`, { headers: headersOf(as), signal: stop.signal });
  const reader = (await tailRoute(request)).body?.getReader();
  let text = "";
  while (reader && !text.includes("event: rows")) {
    const { value, done } = await reader.read();
    if (done) break;
    text += new TextDecoder().decode(value);
  }
  await reader?.cancel();
  return text;
}

describe("an ordinary user", () => {
  const flags = "loss=true&unbilled=true&loss=1&cost=1&sort=cost";
  test.each([
    [logApi, "/api/log/self", "gpt-4o"],
    [logApi, `/api/log/self?${flags}`, "gpt-4o"],
    [logApi, "/api/log/self/search?keyword=5", "gpt-4o"],
    [logApi, "/api/log/self/search", "gpt-4o"],
    [logApi, "/api/log/self/stat", "90"],
    [logApi, `/api/log/self/stat?${flags}`, "90"],
    [logApi, `/api/log/token?key=sk-${key}`, "gpt-4o"],
    [dataApi, `/api/data/self?start_timestamp=${now - 7_200}&end_timestamp=${now}`, "gpt-4o"],
    [userApi, "/api/user/self", "alice"],
  ])("sees own requests without their costs at %#: %s", async (table, path, something) => {
    const { json } = await call(table as never, `GET ${path}`, { as: api.alice });
    expect(JSON.stringify(json)).toContain(something);
    expectSilent(JSON.stringify(json));
  });

  test.each(["/api/log/", "/api/log/stat", "/api/log/search"])("is refused %s", async (path) => {
    expect((await call(logApi, `GET ${path}?loss=true`, { as: api.alice })).json.success).toBe(false);
  });

  test.each(["csv", "jsonl"])("exports %s without them", async (format) => {
    const url = `http://weir.example/log/export?format=${format}&${flags}`;
    const text = await (await exportRoute(new Request(url, { headers: headersOf(api.alice) }))).text();
    expect(text).toContain("gpt-4o");
    expectSilent(text);
    expect(text).not.toMatch(/\bcost|unbilled/);
  });

  test("gets none in the live tail", async () => {
    const text = await firstOfTail(`tail?since=${now - 60}&${flags}`, api.alice);
    expect(text).toContain("gpt-4o");
    expectSilent(text);
  });

  test("gets none in the page's rows and figures", async () => {
    const ctx = contextOf(api.alice);
    const rows = await listLogs(ctx, { cost: true, unbilledCost: true });
    // Filters on costs are ignored: their effect would tell which requests were sold at a loss.
    expect(rows.total).toBe(2);
    expectSilent(JSON.stringify(rows));
    const window = { from: now - 7_200, until: now + 3_600, granularity: "hour", timeZone: "UTC" } as const;
    const dashboard = await readDashboard(ctx, { ...window, scope: "own", dimension: "model" });
    expect(dashboard.totals.quota).toBe(90);
    expectSilent(JSON.stringify(dashboard));
  });
});

test("administrators do see them, and can ask for losses", async () => {
  const { json } = await call(logApi, "GET /api/log/?loss=true", { as: api.admin });
  expect(json.data.items).toMatchObject([
    { cost: COST, unbilled_cost: UNBILLED, unknown_costs: 1 },
    { cost: COST, unbilled_cost: UNBILLED, unknown_costs: 1 },
  ]);
  expect((await call(logApi, "GET /api/log/stat?loss=true", { as: api.admin })).json.data.quota).toBe(90);
  await api.database.db.insert(usageLogs).values(row(api.bob, { cost: 5, unbilledCost: 0, requestId: "profit" }));
  expect((await call(logApi, "GET /api/log/?loss=true", { as: api.admin })).json.data.total).toBe(2);
  expect((await call(logApi, "GET /api/log/?unbilled=true", { as: api.admin })).json.data.total).toBe(2);
  expect((await call(logApi, "GET /api/log/", { as: api.admin })).json.data.total).toBe(3);
});

test("the document of the API names costs only where administrators are", () => {
  const document = describeApi({ title: "Weir", serverUrl: "http://weir.example" }, "en") as unknown as {
    paths: Record<string, object>;
    components: { schemas: object };
  };
  const ofUsers = Object.entries(document.paths).filter(([path]) =>
    /^\/api\/(log\/(self|token)|data\/self)/.test(path),
  );
  expect(ofUsers.length).toBeGreaterThanOrEqual(5);
  const schemas = document.components.schemas as Record<string, object>;
  for (const [path, operations] of ofUsers) {
    const text = JSON.stringify(operations);
    const named = [...text.matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => schemas[name ?? ""]);
    expect(`${path} ${text} ${JSON.stringify(named)}`).not.toMatch(
      /"(cost|unbilled_cost|unknown_costs|loss|unbilled)"/,
    );
  }
});
