import * as logApi from "@/app/api/log/[[...path]]/route";
import { auditEntries, usageHourly, usageLogs } from "@/db/schema";
import { exportAudit } from "@/lib/audit/export-commands";
import { listAuditEntries } from "@/lib/audit/queries";
import { auditSearchSchema } from "@/lib/audit/schemas";
import { listLogsSince, readLogs } from "@/lib/usage-log/batch-queries";
import { listLogs } from "@/lib/usage-log/queries";
import { type LogSearch, logSearchSchema } from "@/lib/usage-log/schemas";
import { sumLogs } from "@/lib/usage-log/sum-queries";
import { call, type Person } from "../harness";
import { type Api, asAdmin, asRoot, asUser, pageOf, rowsOfFile } from "./actors";
import { parametersOf } from "./parameters";
import {
  type Filter,
  type Found,
  fieldsOf,
  insertVariants,
  omit,
  only,
  overTheWire,
  type Reading,
  type Subject,
  TOO_LONG,
} from "./proof";

const noon = Math.floor(Date.now() / 1000) - 7_200;
const TEXT = [TOO_LONG];
const NUMBER = [-1, 1.5, "x"];

const variants = (api: Api) => ({
  type: { type: 5 },
  username: { userId: api.bob.id, username: "bob" },
  token: { tokenName: "other" },
  model: { modelName: "gpt-4o-mini" },
  group: { group: "vip" },
  channel: { channelId: 8 },
  request: { requestId: "another-request" },
  early: { createdAt: noon - 1 },
  late: { createdAt: noon + 1 },
  profit: { cost: 0 },
  billed: { unbilledCost: 0 },
  status: { statusCode: 429 },
  code: { errorCode: "other" },
  cause: { errorCause: "another cause" },
});

/** Each row charges a different power of two, so that a sum tells which rows it includes, and costs more. */
async function insertLog(api: Api, fields: Partial<typeof usageLogs.$inferInsert>, index: number): Promise<number> {
  const { db } = api.database;
  const row = {
    requestId: `request-${index}`,
    createdAt: noon,
    userId: api.alice.id,
    username: "alice",
    tokenId: index,
    tokenName: "main",
    channelId: 7,
    modelName: "gpt-4o",
    group: "default",
    quota: 2 ** index,
    cost: 2 ** index + 1,
    unbilledCost: 1,
    statusCode: 502,
    errorCode: "bad",
    errorCause: "status #",
    ...fields,
  };
  const [logged] = await db.insert(usageLogs).values(row).returning({ id: usageLogs.id });
  const { userId = 0, tokenId = 0, channelId = 0, modelName = "", group = "", quota = 0, createdAt = noon } = row;
  const hour = createdAt - (createdAt % 3_600);
  if (row.type === undefined)
    await db.insert(usageHourly).values({ hour, userId, tokenId, channelId, modelName, group, quota, count: 1 });
  return logged?.id ?? 0;
}

const wireFilters: Record<string, Filter> = {
  type: { asks: only(2, "type"), refused: [99, -1] },
  username: { asks: only("alice", "username"), refused: TEXT },
  token_name: { asks: only("main", "token"), refused: TEXT },
  model_name: { asks: only("gpt-4o", "model"), refused: TEXT },
  channel: { asks: only(7, "channel"), refused: [-1] },
  group: { asks: only("default", "group"), refused: TEXT },
  start_timestamp: { asks: only(noon, "early"), refused: [-1] },
  end_timestamp: { asks: only(noon, "late"), refused: [-1] },
  loss: { asks: only(true, "profit"), refused: [] },
  unbilled: { asks: only(true, "billed"), refused: [] },
  status_code: { asks: only(502, "status"), refused: [-1] },
  error_code: { asks: only("bad", "code"), refused: TEXT },
};
const ownFilters = omit(wireFilters, "username", "channel", "loss", "unbilled");
const ownOnly = { username: "one's own rows only, whoever is named", channel: "not for ordinary users" };

const domainFilters: Record<string, Filter> = {
  type: { asks: only(2, "type"), refused: [...NUMBER, 99] },
  username: { asks: only("alice", "username"), refused: [...TEXT, 5] },
  tokenName: { asks: only("main", "token"), refused: [...TEXT, 5] },
  modelName: { asks: [...only("gpt-4o", "model"), { value: "gpt-4o%", leavesOut: [] }], refused: [...TEXT, 5] },
  group: { asks: only("default", "group"), refused: [...TEXT, 5] },
  channelId: { asks: only(7, "channel"), refused: [...NUMBER, 0, 2 ** 31] },
  startTimestamp: { asks: only(noon, "early"), refused: NUMBER },
  endTimestamp: { asks: only(noon, "late"), refused: NUMBER },
  cost: { asks: only(true, "profit"), refused: ["true", 1] },
  unbilledCost: { asks: only(true, "billed"), refused: ["true", 1] },
  statusCode: { asks: only(502, "status"), refused: [...NUMBER, 0] },
  errorCode: { asks: only("bad", "code"), refused: [...TEXT, 5] },
  errorCause: { asks: only("status #", "cause"), refused: [...TEXT, 5] },
};
/** A request id belongs to exactly one row. */
const requestId = (rows: readonly string[]): Filter => ({
  asks: only("request-0", ...rows),
  refused: [...TEXT, 5],
});

/** The rows that a sum includes. */
function rowsOf(quota: number, ids: readonly string[]): Found {
  return { ids: ids.filter((_, index) => Math.floor(quota / 2 ** index) % 2 === 1) };
}

export function logSubject(api: Api): Subject {
  let ids: string[] = [];
  const names = [
    "username",
    "token",
    "model",
    "group",
    "channel",
    "request",
    "early",
    "late",
    "profit",
    "billed",
    "status",
    "code",
    "cause",
  ];
  const stat = (path: string, as: () => Person): Reading["read"] => {
    const read = overTheWire({ table: logApi, line: `GET /api/log/${path}`, as });
    return async (search) => {
      // Sums return no rows, so this makes its own call. Errors go through `read`, which throws them.
      const query = new URLSearchParams(Object.entries(search).map(([name, value]) => [name, String(value)]));
      const { json } = await call(logApi, `GET /api/log/${path}?${query}`, { as: as() });
      return json.success ? rowsOf(json.data.quota, ids) : read(search);
    };
  };
  const scope = { scope: "whose rows; proven below" };
  const domain = { parameters: fieldsOf(logSearchSchema), others: scope };
  const withRequest = { ...domainFilters, requestId: requestId(["type", ...names]) };
  return {
    name: "usage log",
    prepare: async () => {
      const rows = await insertVariants(variants(api), (fields, index) => insertLog(api, fields, index));
      ids = [...rows.keys()];
      return rows;
    },
    readings: [
      {
        name: "GET /api/log",
        parameters: parametersOf("GET /api/log"),
        filters: wireFilters,
        size: "page_size",
        read: overTheWire({ table: logApi, line: "GET /api/log/", as: () => api.admin }),
      },
      {
        name: "GET /api/log/self",
        parameters: parametersOf("GET /api/log/self"),
        filters: ownFilters,
        others: ownOnly,
        hidden: ["username"],
        size: "page_size",
        read: overTheWire({ table: logApi, line: "GET /api/log/self", as: () => api.alice }),
      },
      {
        name: "GET /api/log/stat",
        parameters: parametersOf("GET /api/log/stat"),
        filters: wireFilters,
        hidden: ["type"],
        read: stat("stat", () => api.admin),
      },
      {
        name: "GET /api/log/self/stat",
        parameters: parametersOf("GET /api/log/self/stat"),
        filters: ownFilters,
        others: ownOnly,
        hidden: ["type", "username"],
        read: stat("self/stat", () => api.alice),
      },
      {
        name: "listLogs",
        ...domain,
        filters: withRequest,
        size: "pageSize",
        read: async (search) => pageOf(await listLogs(asAdmin(api), search as LogSearch)),
      },
      {
        name: "listLogs of an ordinary user",
        ...domain,
        filters: { ...omit(withRequest, "username", "channelId", "cost", "unbilledCost") },
        others: {
          ...scope,
          username: "one's own rows only",
          channelId: "not for ordinary users",
          cost: "not for ordinary users",
          unbilledCost: "not for ordinary users",
        },
        hidden: ["username"],
        size: "pageSize",
        read: async (search) => pageOf(await listLogs(asUser(api), search as LogSearch)),
      },
      {
        name: "sumLogs",
        ...domain,
        filters: withRequest,
        hidden: ["type"],
        read: async (search) => rowsOf((await sumLogs(asAdmin(api), search as LogSearch)).quota, ids),
      },
      {
        name: "readLogs, which the export reads",
        ...domain,
        filters: withRequest,
        read: async (search) => {
          const found: unknown[] = [];
          for await (const batch of readLogs(asAdmin(api), search as LogSearch, 2))
            found.push(...batch.map((row) => row.id));
          return { ids: found };
        },
      },
      {
        name: "listLogsSince, which the live tail reads",
        ...domain,
        filters: omit(withRequest, "startTimestamp", "endTimestamp"),
        others: { ...scope, startTimestamp: "the moment since when", endTimestamp: "a tail has none" },
        read: async (search) => {
          const rows = await listLogsSince(asAdmin(api), search as LogSearch, noon - 1, 100);
          return { ids: rows.map(({ id }) => id) };
        },
      },
    ],
  };
}

export function auditSubject(api: Api): Subject {
  let idOf = new Map<string, string>();
  const time = { refused: NUMBER };
  const filters: Record<string, Filter> = {
    actor: {
      asks: [...only("root", "actor"), { value: () => String(api.root.id), leavesOut: ["actor"] }],
      refused: [TOO_LONG, 5],
    },
    action: { asks: only("channel.update", "action"), refused: [TOO_LONG, 5] },
    subject: {
      asks: [...only("channel:7", "subject"), { value: "channel:", leavesOut: [] }],
      refused: [TOO_LONG],
    },
    from: { asks: only(noon, "early"), ...time },
    to: { asks: only(noon, "late"), ...time },
    before: { asks: only(() => Number(idOf.get("before")), "before"), refused: [0, -1, 1.5] },
  };
  return {
    name: "audit log",
    prepare: async () => {
      const rows = await insertVariants(
        {
          actor: { actorId: api.admin.id },
          action: { action: "user.delete" },
          subject: { subject: "channel:71" },
          early: { createdAt: noon - 1 },
          late: { createdAt: noon + 1 },
          before: {},
        },
        async (fields) => {
          const first = { actorId: api.root.id, action: "channel.update", subject: "channel:7", createdAt: noon };
          const [row] = await api.database.db
            .insert(auditEntries)
            .values({ actorKind: "user", ...first, ...fields })
            .returning({ id: auditEntries.id });
          return row?.id;
        },
      );
      idOf = new Map([...rows].map(([id, name]) => [name, id]));
      return rows;
    },
    readings: [
      {
        name: "listAuditEntries",
        parameters: fieldsOf(auditSearchSchema),
        filters,
        read: async (search) => ({ ids: (await listAuditEntries(asRoot(api), search)).items.map(({ id }) => id) }),
      },
      {
        name: "exportAudit",
        parameters: fieldsOf(auditSearchSchema),
        filters,
        read: (search) => rowsOfFile(api, exportAudit(asRoot(api), search, "jsonl")),
      },
    ],
  };
}
