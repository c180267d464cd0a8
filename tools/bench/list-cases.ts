import { listAuditActions, listAuditEntries } from "@/lib/audit/queries";
import { listOwnSessions } from "@/lib/auth/session-queries";
import { previewBulkChange } from "@/lib/channel/bulk-commands";
import { listChannelFacets } from "@/lib/channel/facet-queries";
import { countChannelKeys } from "@/lib/channel/key-queries";
import { listChannelChanges, listChannels } from "@/lib/channel/queries";
import { CHANNEL_SORTS, type ChannelSearch, TRAFFIC_SORTS } from "@/lib/channel/schemas";
import { listTagRows } from "@/lib/channel/tag-queries";
import { nowSeconds } from "@/lib/clock";
import { listDrawings } from "@/lib/drawing/queries";
import type { DrawingSearch } from "@/lib/drawing/schemas";
import { listHealth } from "@/lib/health/queries";
import { readRecentTraffic } from "@/lib/health/traffic-queries";
import { listEnabledModels, listKnownModels, listUsableModels } from "@/lib/model/queries";
import { listNotices } from "@/lib/notify/queries";
import { searchEverything } from "@/lib/palette/queries";
import { listPrices } from "@/lib/pricing/queries";
import { listRedemptions } from "@/lib/redemption/queries";
import { REDEMPTION_SORTS, type RedemptionSearch } from "@/lib/redemption/schemas";
import { listTasks } from "@/lib/task/queries";
import type { TaskSearch } from "@/lib/task/schemas";
import { listTokens } from "@/lib/token/queries";
import { TOKEN_SORTS, type TokenSearch } from "@/lib/token/schemas";
import { readTokenUsage } from "@/lib/token/usage-queries";
import { listStatementMonths, readMonthStatement } from "@/lib/topup/month-statement-queries";
import { listCallbacks, listLedger, listOwnTopUps, listTopUps } from "@/lib/topup/queries";
import type { TopUpSearch } from "@/lib/topup/schemas";
import { listStatement, readWholeStatement, sumStatement } from "@/lib/topup/statement-queries";
import { getUserDetail } from "@/lib/user/detail-queries";
import { listUsers } from "@/lib/user/queries";
import { USER_SORTS, type UserSearch } from "@/lib/user/schemas";
import { type Case, type People, turnOf } from "./list-people";

const DAY = 86_400;
const isOdd = (turn: number) => turn % 2 === 1;

export function channelCases({ admin: { ctx } }: People): Case[] {
  const list = (name: string, search: (turn: number) => ChannelSearch): Case => ({
    name: `channels: ${name}`,
    run: (turn) => listChannels(ctx, { pageSize: turnOf([10, 50, 100], turn), ...search(turn) }),
  });
  const health = (days: number): Case => ({
    name: `channel: health of ${days} days`,
    run: (turn) => listHealth(ctx, { from: nowSeconds() - days * DAY, channelId: 1 + turn * 37 }),
  });
  return [
    ...CHANNEL_SORTS.map((sort) => list(`by ${sort}`, (turn) => ({ sort, descending: isOdd(turn) }))),
    ...TRAFFIC_SORTS.map((sort) => list(`by ${sort}`, (turn) => ({ sort, descending: isOdd(turn) }))),
    list("deep pages", (turn) => ({ page: 900 - turn, pageSize: 10 })),
    list("part of a name", (turn) => ({ keyword: turnOf(["channel 12", "nnel 99", "no such thing"], turn) })),
    list("id or address", (turn) => ({ keyword: turnOf(["777", "host12.", "9999"], turn) })),
    list("one or two letters", (turn) => ({ keyword: turnOf(["l", "L 7", "77"], turn) })),
    list("model", (turn) => ({ model: turnOf(["gpt-4o", "claude", "nothing"], turn) })),
    list("group", (turn) => ({ groups: [turnOf(["vip", "default", "none"], turn)] })),
    list("status", (turn) => ({ statuses: [1 + (turn % 3)] })),
    list("type", (turn) => ({ types: [turnOf([1, 14, 99], turn)] })),
    list("tag", (turn) => ({ tags: [turnOf(["tag 3", "", "none"], turn)] })),
    list("all filters", (turn) => ({
      keyword: "channel 12",
      model: "gpt",
      groups: ["vip"],
      statuses: [1],
      types: [1 + (turn % 3)],
    })),
    {
      name: "channels: tag mode",
      run: (turn) => listTagRows(ctx, { page: 1 + turn * 20, pageSize: 10 }, ["tag 3", "tag 6"]),
    },
    { name: "channels: tag mode of /api", run: (turn) => listChannels(ctx, { page: 1 + turn, tagMode: true }) },
    {
      name: "channels: what can be chosen",
      run: (turn) => listChannelFacets(ctx, { statuses: [1 + (turn % 3)], keyword: turnOf(["", "1"], turn) }),
    },
    { name: "channels: the whole page", run: (turn) => channelPage(ctx, 1 + turn * 3) },
    { name: "channels: preview of a bulk edit", run: (turn) => previewBulk(ctx, turn) },
    ...[1, 7, 30].map(health),
    { name: "channel: changes", run: (turn) => listChannelChanges(ctx, 1 + turn) },
    { name: "models: known", run: () => listKnownModels(ctx) },
    { name: "models: enabled", run: () => listEnabledModels(ctx) },
  ];
}

async function channelPage(ctx: People["admin"]["ctx"], page: number) {
  const listed = listChannels(ctx, { page, pageSize: 100 });
  const ids = listed.then(({ items }) => items.map(({ id }) => id));
  return Promise.all([
    listed,
    listChannelFacets(ctx, {}),
    ids.then((list) => countChannelKeys(ctx, list)),
    ids.then((channelIds) => readRecentTraffic(ctx, channelIds)),
  ]);
}

function previewBulk(ctx: People["admin"]["ctx"], turn: number) {
  const filter = { keyword: "", model: "", groups: [], statuses: [], types: [], tags: [`tag ${(turn % 16) * 3}`] };
  return previewBulkChange(ctx, { target: { filter }, change: { kind: "priority", value: turn } });
}

export function accountCases({ admin, root, reseller, light, names }: People): Case[] {
  const list = (name: string, search: (turn: number) => UserSearch): Case => ({
    name: `users: ${name}`,
    run: (turn) =>
      listUsers((isOdd(turn) ? root : admin).ctx, { pageSize: turnOf([10, 50, 100], turn), ...search(turn) }),
  });
  const tokens = (name: string, search: (turn: number) => TokenSearch): Case => ({
    name: `tokens: ${name}`,
    run: (turn) =>
      listTokens((turn % 4 === 3 ? light : reseller).ctx, { pageSize: turnOf([10, 50, 100], turn), ...search(turn) }),
  });
  return [
    ...USER_SORTS.map((sort) => list(`by ${sort}`, (turn) => ({ sort, descending: turn % 4 > 1 }))),
    ...USER_SORTS.map((sort) => list(`deep pages by ${sort}`, (turn) => ({ sort, page: 9_000 + turn, pageSize: 10 }))),
    list("part of a name", (turn) => ({
      keyword: turnOf(["user777", "ser 12", "4242", "SER9", "no such thing"], turn),
    })),
    list("part of an address", (turn) => ({
      keyword: turnOf(["user12@", "77@example", "example.com", "@nowhere"], turn),
    })),
    list("id or exact name", (turn) => ({ keyword: turnOf(["777", "99999", ...names], turn) })),
    list("one or two letters", (turn) => ({ keyword: turnOf(["e", "7", "R9", "中"], turn) })),
    list("group", (turn) => ({ group: turnOf(["vip", "default", "none"], turn) })),
    list("level", (turn) => ({ role: turnOf([1, 10, 100], turn) })),
    list("status", (turn) => ({ status: turnOf(["enabled", "disabled", "deleted"] as const, turn) })),
    list("all filters", (turn) => ({
      keyword: "user123",
      group: "vip",
      role: 1,
      status: "enabled",
      sort: turnOf(USER_SORTS, turn),
    })),
    { name: "user: with tokens, sessions and changes", run: (turn) => getUserDetail(root.ctx, 1 + turn * 997) },
    ...TOKEN_SORTS.map((sort) => tokens(`by ${sort}`, (turn) => ({ sort, descending: isOdd(turn) }))),
    tokens("deep pages", (turn) => ({ page: 400 + turn, pageSize: 10 })),
    tokens("part of a name", (turn) => ({ keyword: turnOf(["token 1", "99", "no such thing"], turn) })),
    tokens("part of a key", (turn) => ({ key: turnOf(["sk-scale", "ca", "no-such-key"], turn) })),
    tokens("status", (turn) => ({ status: turnOf([1, 2, 3, 4] as const, turn) })),
    tokens("group", (turn) => ({ group: turnOf(["", "vip"], turn) })),
    { name: "tokens: the whole page", run: (turn) => tokenPage(turnOf([reseller, light], turn).ctx, 1 + turn) },
  ];
}

async function tokenPage(ctx: People["admin"]["ctx"], page: number) {
  const { items } = await listTokens(ctx, { page, pageSize: 100 });
  return readTokenUsage(
    ctx,
    items.map(({ id }) => id),
  );
}

export function moneyCases({ admin, root, heavy, light, names }: People): Case[] {
  const now = nowSeconds();
  const codes = (name: string, search: (turn: number) => RedemptionSearch): Case => ({
    name: `redemption codes: ${name}`,
    run: (turn) => listRedemptions(admin.ctx, { pageSize: turnOf([10, 50, 100], turn), ...search(turn) }),
  });
  const purchases = (name: string, search: (turn: number) => TopUpSearch): Case => ({
    name: `purchases: ${name}`,
    run: (turn) => listTopUps(admin.ctx, { pageSize: turnOf([10, 50, 100], turn), ...search(turn) }),
  });
  const buyers = [heavy, light];
  return [
    ...REDEMPTION_SORTS.map((sort) => codes(`by ${sort}`, (turn) => ({ sort, descending: isOdd(turn) }))),
    codes("deep pages", (turn) => ({ page: 4_900 + turn, pageSize: 10 })),
    codes("part of a name", (turn) => ({ keyword: turnOf(["batch 4", "tch 4", "atc", "none"], turn) })),
    codes("id", (turn) => ({ keyword: String(40_000 + turn) })),
    codes("status", (turn) => ({ status: turnOf([1, 2, 3] as const, turn) })),
    purchases("all", () => ({})),
    purchases("deep pages", (turn) => ({ page: 15_000 + turn, pageSize: 10 })),
    purchases("status", (turn) => ({ status: turnOf(["pending", "success", "expired"] as const, turn) })),
    purchases("provider", (turn) => ({ provider: turnOf(["epay", "stripe"] as const, turn) })),
    purchases("buyer", (turn) => ({ keyword: turnOf(names, turn) })),
    purchases("id or trade number", (turn) => ({ keyword: turnOf(["77", "scale777", "scale199999"], turn) })),
    purchases("time", (turn) => ({ from: now - (1 + turn) * DAY, until: now - turn * DAY })),
    { name: "purchases: own", run: (turn) => listOwnTopUps(turnOf(buyers, turn).ctx, { page: 1 + (turn % 5) }) },
    {
      name: "ledger: own",
      run: (turn) => listLedger(turnOf(buyers, turn).ctx, { ...(isOdd(turn) ? { kind: "topup" } : {}) }),
    },
    { name: "ledger: a user's", run: (turn) => listLedger(admin.ctx, { userId: 1 + turn * 97 }) },
    { name: "wallet: statement", run: (turn) => listStatement(turnOf(buyers, turn).ctx, { page: 1 + (turn % 5) }) },
    {
      name: "wallet: statement by kind",
      run: (turn) => listStatement(turnOf(buyers, turn).ctx, { kind: turnOf(["consumption", "topup"] as const, turn) }),
    },
    { name: "wallet: whole statement", run: (turn) => readWholeStatement(turnOf(buyers, turn).ctx) },
    {
      name: "wallet: statement of a month",
      run: (turn) => {
        const month = new Date((now - turn * 10 * DAY) * 1_000).toISOString().slice(0, 7);
        return readMonthStatement(turnOf(buyers, turn).ctx, { month });
      },
    },
    { name: "wallet: months", run: (turn) => listStatementMonths(turnOf(buyers, turn).ctx) },
    { name: "wallet: sums", run: (turn) => sumStatement(turnOf(buyers, turn).ctx) },
    { name: "callbacks: all", run: (turn) => listCallbacks(root.ctx, { page: 1 + turn * 700 }) },
    {
      name: "callbacks: outcome",
      run: (turn) => listCallbacks(root.ctx, { outcome: turnOf(["credited", "refused", "failed"] as const, turn) }),
    },
    { name: "callbacks: trade number", run: (turn) => listCallbacks(root.ctx, { keyword: `scale${turn * 7}` }) },
  ];
}

export function mediaCases({ admin, heavy, light }: People): Case[] {
  const now = nowSeconds();
  const people = [heavy, light];
  type Shared = { page?: number; status?: string; action?: string; channelId?: number; from?: number; until?: number };
  const shared: [string, (turn: number) => Shared][] = [
    ["usual window", () => ({ from: now - 30 * DAY, until: now })],
    ["one day", (turn) => ({ from: now - (turn + 1) * DAY, until: now - turn * DAY })],
    ["deep pages", (turn) => ({ page: 15_000 + turn })],
    ["status", (turn) => ({ status: turnOf(["SUCCESS", "FAILURE", "NONE"], turn) })],
    ["kind", (turn) => ({ action: turnOf(["UPSCALE", "MUSIC", "NONE"], turn) })],
    ["channel", (turn) => ({ channelId: 1 + turn * 31 })],
  ];
  const inMs = ({ from, until, ...rest }: Shared) => ({
    ...rest,
    ...(from === undefined ? {} : { from: from * 1000 }),
    ...(until === undefined ? {} : { until: until * 1000 }),
  });
  const drawings = (search: Omit<DrawingSearch, "scope">, scope: "all" | "own", turn: number) =>
    listDrawings(scope === "all" ? admin.ctx : turnOf(people, turn).ctx, { scope, ...search });
  const tasks = (search: Omit<TaskSearch, "scope">, scope: "all" | "own", turn: number) =>
    listTasks(scope === "all" ? admin.ctx : turnOf(people, turn).ctx, { scope, ...search });
  return [
    ...shared.flatMap(([name, search]): Case[] => [
      { name: `drawings: ${name}`, run: (turn) => drawings(inMs(search(turn)), "all", turn) },
      { name: `tasks: ${name}`, run: (turn) => tasks(search(turn), "all", turn) },
    ]),
    { name: "drawings: id", run: (turn) => drawings({ mjId: `mj${turn * 9_999}` }, "all", turn) },
    { name: "drawings: own", run: (turn) => drawings({ page: 1 + (turn % 4) }, "own", turn) },
    { name: "tasks: id", run: (turn) => tasks({ taskId: `task${turn * 9_999}` }, "all", turn) },
    { name: "tasks: platform", run: (turn) => tasks({ platform: turnOf(["suno", "none"], turn) }, "all", turn) },
    { name: "tasks: own", run: (turn) => tasks({ page: 1 + (turn % 4) }, "own", turn) },
  ];
}

export function otherCases({ root, admin, reseller, light, names }: People): Case[] {
  const now = nowSeconds();
  const terms = ["user77", "channel 9", "77", "token 1", "scale-4999999", "no such thing", "e"];
  return [
    { name: "palette: administrator", run: (turn) => searchEverything(admin.ctx, { term: turnOf(terms, turn) }, "en") },
    { name: "palette: user", run: (turn) => searchEverything(reseller.ctx, { term: turnOf(terms, turn) }, "en") },
    { name: "prices: anybody", run: () => listPrices({ ...admin.ctx, actor: { type: "anonymous" } }) },
    { name: "prices: user", run: () => listPrices(light.ctx) },
    { name: "models: of a user", run: () => listUsableModels(light.ctx) },
    { name: "messages: own", run: (turn) => listNotices(turnOf([root, light], turn).ctx, "en") },
    { name: "sessions: own", run: () => listOwnSessions(light.ctx) },
    { name: "audit: all", run: (turn) => listAuditEntries(root.ctx, { before: 500_000 - turn * 20_000 }) },
    { name: "audit: who", run: (turn) => listAuditEntries(root.ctx, { actor: turnOf(names, turn) }) },
    {
      name: "audit: action",
      run: (turn) => listAuditEntries(root.ctx, { action: turnOf(["user.update", "none"], turn) }),
    },
    {
      name: "audit: subject",
      run: (turn) => listAuditEntries(root.ctx, { subject: turnOf(["channel:7", "user:", "none:"], turn) }),
    },
    {
      name: "audit: time",
      run: (turn) => listAuditEntries(root.ctx, { from: now - (turn + 1) * DAY, to: now - turn * DAY }),
    },
    { name: "audit: actions", run: () => listAuditActions(root.ctx) },
  ];
}
