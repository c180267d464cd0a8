import { readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import * as dataApi from "@/app/api/data/[[...path]]/route";
import * as logApi from "@/app/api/log/[[...path]]/route";
import * as mjApi from "@/app/api/mj/[[...path]]/route";
import * as redemptionApi from "@/app/api/redemption/[[...path]]/route";
import * as taskApi from "@/app/api/task/[[...path]]/route";
import * as tokenApi from "@/app/api/token/[[...path]]/route";
import * as userApi from "@/app/api/user/[[...path]]/route";
import { channels } from "@/db/schema";
import { listChannelFacets } from "@/lib/channel/facet-queries";
import { listChannels } from "@/lib/channel/queries";
import { listDrawings } from "@/lib/drawing/queries";
import { EXPORTS } from "@/lib/http/openapi/common";
import { saveView } from "@/lib/saved-view/commands";
import { listViews } from "@/lib/saved-view/queries";
import { readDashboard } from "@/lib/statistics/dashboard-queries";
import { listHourlyUsage } from "@/lib/statistics/queries";
import { listTasks } from "@/lib/task/queries";
import { rewriteBooks } from "@/lib/testing/rewrite-books";
import { listCallbacks, listLedger, listTopUps } from "@/lib/topup/queries";
import { listLogs } from "@/lib/usage-log/queries";
import { sumLogs } from "@/lib/usage-log/sum-queries";
import { call, setUpApi, type Table } from "./harness";
import { redemptionSubject, tokenSubject, userSubject } from "./list-filters/accounts";
import { asAdmin, asUser, contextOf } from "./list-filters/actors";
import { channelSubject } from "./list-filters/channels";
import { auditSubject, logSubject } from "./list-filters/logs";
import { drawingSubject, taskSubject } from "./list-filters/media";
import { callbackSubject, ledgerSubject, statementSubject, topUpSubject } from "./list-filters/money";
import { readQueries } from "./list-filters/parameters";
import { proveFilters } from "./list-filters/proof";
import { usageSubject } from "./list-filters/usage";

const api = setUpApi();

// Each subject clears the tables it uses, so the order does not matter.
const logs = logSubject(api);
const subjects = [
  logs,
  auditSubject(api),
  channelSubject(api),
  tokenSubject(api),
  userSubject(api),
  redemptionSubject(api),
  drawingSubject(api),
  taskSubject(api),
  topUpSubject(api),
  ledgerSubject(api),
  statementSubject(api),
  callbackSubject(api),
  usageSubject(api),
];
const readings = subjects.flatMap((subject) => subject.readings);

describe("every list's every filter is enforced by the server (B098, B230, B250)", () => {
  for (const subject of subjects)
    proveFilters(subject, (prepare) =>
      beforeAll(async () => {
        await rewriteBooks(api.database.sql, (tx) => tx`truncate usage_logs, usage_hourly`);
        await prepare();
      }),
    );
});

describe("no list is forgotten", () => {
  /** Calls with query parameters that are not lists. */
  const noLists = new Set([
    // Proven in older-clients.test.ts.
    "GET /api/log/search",
    "GET /api/log/self/search",
    "GET /api/log/token",
    "GET /api/channel/test/{id}",
    "GET /pg/charge",
    "GET /api/verification",
    "GET /api/reset_password",
    "GET /api/oauth/state",
    "GET /api/oauth/github",
    "GET /api/oauth/linuxdo",
    "GET /api/oauth/oidc",
    "GET /api/oauth/wechat",
    "GET /api/oauth/wechat/bind",
    "GET /api/oauth/email/bind",
    "GET /api/oauth/telegram/login",
    "GET /api/oauth/telegram/bind",
    // Files and single rows, which tests/api/administration-by-program.test.ts asks for.
    ...EXPORTS.map((path) => `GET ${path}`),
    "GET /api/user/statement",
    "GET /api/token/{id}",
  ]);

  test("every call of /api that takes a query is proven above", () => {
    const proven = new Set(readings.map(({ name }) => name));
    const lines = [...readQueries().keys()];
    expect(lines.filter((line) => !proven.has(line)).sort()).toEqual([...noLists].sort());
  });

  test("so is every schema of a search, and each has what reads it", async () => {
    const known = new Set(readings.map(({ parameters }) => JSON.stringify([...parameters].sort())));
    const missing: string[] = [];
    for (const domain of namesIn("lib", true)) {
      for (const file of namesIn(join("lib", domain), false)) {
        if (!/schemas\.ts$/.test(file)) continue;
        const exported: Record<string, unknown> = await import(
          /* @vite-ignore */ join(process.cwd(), "lib", domain, file)
        );
        for (const [name, schema] of Object.entries(exported)) {
          if (!(schema instanceof z.ZodObject)) continue;
          if (!("pageSize" in schema.shape) && !/search|window|dashboard/i.test(name)) continue;
          if (!known.has(JSON.stringify(Object.keys(schema.shape).sort()))) missing.push(`${domain}/${file} ${name}`);
        }
      }
    }
    // The palette uses the list queries tested above (palette.test.ts).
    expect(missing).toEqual(["palette/schemas.ts paletteSearchSchema"]);
  });
});

function namesIn(folder: string, isFolder: boolean): string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.flatMap((entry) => (entry.isDirectory() === isFolder ? [entry.name] : []));
}

describe("no filter shows what is another's", () => {
  beforeAll(async () => {
    await rewriteBooks(api.database.sql, (tx) => tx`truncate usage_logs, usage_hourly`);
    await logs.prepare();
  });

  const own: [string, Table][] = [
    ["/api/log/self", logApi],
    ["/api/log/self/stat", logApi],
    [`/api/data/self?start_timestamp=${Math.floor(Date.now() / 1000) - 86_400}`, dataApi],
    ["/api/mj/self", mjApi],
    ["/api/task/self", taskApi],
    ["/api/token/", tokenApi],
    ["/api/token/search", tokenApi],
    ["/api/user/topup/self", userApi],
  ];
  test.each(own)("GET %s is the same whoever's rows are asked for (B209)", async (path, table) => {
    const read = async (query: object) => {
      const text = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
      return (await call(table, `GET ${path}${path.includes("?") ? "&" : "?"}${text}`, { as: api.alice })).json;
    };
    const before = await read({});
    expect(before).toMatchObject({ success: true });
    expect(before.data.quota ?? (before.data.items ?? before.data).length).toBeGreaterThan(0);
    for (const [name, value] of [
      ["user_id", api.bob.id],
      ["userId", api.bob.id],
      ["username", "bob"],
      ["owner", api.bob.id],
      ["scope", "all"],
      ["channel", 8],
      ["channel_id", 8],
      ["id", api.bob.id],
    ])
      expect(await read({ [String(name)]: value }), String(name)).toEqual(before);
  });

  const everybody: [string, Table][] = [
    ["/api/log/", logApi],
    ["/api/log/stat", logApi],
    ["/api/data/", dataApi],
    ["/api/mj/", mjApi],
    ["/api/task/", taskApi],
    ["/api/redemption/", redemptionApi],
    ["/api/redemption/search?keyword=a", redemptionApi],
    ["/api/user/", userApi],
    ["/api/user/search?keyword=alice", userApi],
    ["/api/user/topup", userApi],
  ];
  test.each(everybody)("GET %s is refused to ordinary users, also for their own name (B209)", async (path, table) => {
    const query = path.includes("?") ? "&username=alice" : "?username=alice";
    const { json } = await call(table, `GET ${path}${query}`, { as: api.alice });
    expect(json).toMatchObject({ success: false, message: expect.stringMatching(/\S/) });
    expect(json.data).toBeUndefined();
  });

  test("another's ledger is for administrators", async () => {
    const ledger = (as: typeof api.alice, id: number) =>
      call(userApi, `GET /api/user/ledger?user_id=${id}`, { as }).then(({ json }) => json.success);
    expect([await ledger(api.alice, api.bob.id), await ledger(api.admin, api.bob.id)]).toEqual([false, true]);
  });

  test("the queries behind the pages refuse the same", async () => {
    const alice = asUser(api);
    const window = { from: 0, until: 3_600 };
    const dashboard = { ...window, granularity: "hour", timeZone: "UTC" } as const;
    const refused = [
      () => listLogs(alice, { scope: "all" }),
      () => sumLogs(alice, { scope: "all" }),
      () => listDrawings(alice, { scope: "all" }),
      () => listTasks(alice, { scope: "all" }),
      () => listTopUps(alice),
      () => listCallbacks(asAdmin(api)),
      () => listLedger(alice, { userId: api.bob.id }),
      () => listHourlyUsage(alice, { scope: "all", ...window }),
      () => readDashboard(alice, { scope: "all", dimension: "model", ...dashboard }),
      () => readDashboard(alice, { scope: "own", dimension: "user", ...dashboard }),
      () => listChannels(alice),
    ];
    for (const read of refused) await expect(read()).rejects.toMatchObject({ code: "forbidden" });
  });

  test("saved views are one's own", async () => {
    const bob = contextOf(api, api.bob, 1);
    await saveView(asUser(api), { page: "log", name: "mine", query: "?type=2" });
    expect((await listViews(asUser(api), "log")).map(({ name }) => name)).toEqual(["mine"]);
    expect(await listViews(bob, "log")).toEqual([]);
  });
});

describe("what the channel list offers to choose from", () => {
  test("each value counts the channels that choosing it shows, under the other filters", async () => {
    await api.database.db.insert(channels).values([
      { name: "facet-1", keyCipher: "", type: 3, status: 3, tag: "f" },
      { name: "facet-2", keyCipher: "", type: 3, group: "vip" },
    ]);
    const ctx = asAdmin(api);
    for (const filter of [{}, { statuses: [1] }, { groups: ["vip"], types: [3] }, { keyword: "facet", tags: [""] }]) {
      const facets = await listChannelFacets(ctx, filter);
      const total = async (part: object) => (await listChannels(ctx, { ...filter, ...part })).total;
      for (const { value, count } of facets.statuses) expect(await total({ statuses: [value] })).toBe(count);
      for (const { value, count } of facets.types) expect(await total({ types: [value] })).toBe(count);
      for (const { value, count } of facets.groups) expect(await total({ groups: [value] })).toBe(count);
      for (const { value, count } of facets.tags) expect(await total({ tags: [value] })).toBe(count);
      expect(facets.statuses.length).toBeGreaterThan(0);
    }
  });
});
