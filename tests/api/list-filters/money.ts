import * as userApi from "@/app/api/user/[[...path]]/route";
import { ledgerEntries, paymentCallbacks, topUps, usageHourly } from "@/db/schema";
import { listCallbacks, listLedger, listOwnTopUps, listTopUps } from "@/lib/topup/queries";
import {
  type CallbackSearch,
  callbackSearchSchema,
  type LedgerSearch,
  ledgerSearchSchema,
  type StatementSearch,
  statementSearchSchema,
  type TopUpSearch,
  topUpSearchSchema,
} from "@/lib/topup/schemas";
import { listStatement, readWholeStatement } from "@/lib/topup/statement-queries";
import { type Api, asAdmin, asRoot, asUser, contextOf, pageOf } from "./actors";
import { parametersOf } from "./parameters";
import { type Filter, fieldsOf, insertVariants, only, overTheWire, type Subject, TOO_LONG } from "./proof";

const DAY = 86_400;
const noon = 1_790_000_000;
const NUMBER = [-1, 1.5, "x"];
const wireTimes: Record<string, Filter> = {
  start_timestamp: { asks: only(noon, "early"), refused: [-1] },
  end_timestamp: { asks: only(noon, "late"), refused: [-1] },
};
const times: Record<string, Filter> = {
  from: { asks: only(noon, "early"), refused: NUMBER },
  until: { asks: only(noon, "late"), refused: NUMBER },
};

export function topUpSubject(api: Api): Subject {
  const names = ["owner", "status", "provider", "early", "late"];
  const choices: Record<string, Filter> = {
    status: { asks: only("success", "status"), refused: ["nonsense", 1] },
    provider: { asks: only("epay", "provider"), refused: ["nonsense", 1] },
  };
  const keyword: Filter = {
    asks: [
      ...only("alice", "owner"),
      { value: "trade-0", leavesOut: names },
      { value: () => String(api.alice.id), leavesOut: ["owner"] },
      { value: "ali", leavesOut: ["base", ...names] },
    ],
    refused: [TOO_LONG],
  };
  return {
    name: "orders",
    prepare: () =>
      insertVariants(
        {
          owner: { userId: api.bob.id },
          status: { status: "pending" },
          provider: { provider: "stripe" },
          early: { createTime: noon - 1 },
          late: { createTime: noon + 1 },
        },
        async (fields, index) => {
          const first = { userId: api.alice.id, amount: 1, money: 7.3, status: "success", createTime: noon };
          const [row] = await api.database.db
            .insert(topUps)
            .values({ tradeNo: `trade-${index}`, ...first, ...fields })
            .returning({ id: topUps.id });
          return row?.id;
        },
      ),
    readings: [
      {
        name: "GET /api/user/topup",
        parameters: parametersOf("GET /api/user/topup"),
        filters: { ...choices, ...wireTimes, keyword },
        size: "page_size",
        read: overTheWire({ table: userApi, line: "GET /api/user/topup", as: () => api.admin }),
      },
      {
        name: "GET /api/user/topup/self",
        parameters: parametersOf("GET /api/user/topup/self"),
        filters: { ...choices, ...wireTimes },
        hidden: ["owner"],
        size: "page_size",
        read: overTheWire({ table: userApi, line: "GET /api/user/topup/self", as: () => api.alice }),
      },
      {
        name: "listTopUps",
        parameters: fieldsOf(topUpSearchSchema),
        filters: { ...choices, ...times, keyword: { ...keyword, refused: [TOO_LONG, 5] } },
        size: "pageSize",
        read: async (search) => pageOf(await listTopUps(asAdmin(api), search as TopUpSearch)),
      },
      {
        name: "listOwnTopUps",
        parameters: fieldsOf(topUpSearchSchema),
        filters: { ...choices, ...times },
        others: { keyword: "not for ordinary users" },
        hidden: ["owner"],
        size: "pageSize",
        read: async (search) => pageOf(await listOwnTopUps(asUser(api), search as TopUpSearch)),
      },
    ],
  };
}

export function ledgerSubject(api: Api): Subject {
  const kind: Filter = { asks: only("grant", "kind"), refused: ["nonsense", 1] };
  const hidden = ["owner"];
  const whose = "for administrators; proven below";
  return {
    name: "ledger",
    prepare: () =>
      insertVariants(
        {
          owner: { userId: api.bob.id },
          kind: { kind: "topup" },
          early: { createdAt: noon - 1 },
          late: { createdAt: noon + 1 },
        },
        async (fields, index) => {
          const first = { userId: api.alice.id, amount: 5, kind: "grant", createdAt: noon };
          const [row] = await api.database.db
            .insert(ledgerEntries)
            .values({ reference: `filters:${index}`, ...first, ...fields })
            .returning({ id: ledgerEntries.id });
          return row?.id;
        },
      ),
    readings: [
      {
        name: "GET /api/user/ledger",
        parameters: parametersOf("GET /api/user/ledger"),
        filters: { kind, ...wireTimes },
        others: { user_id: whose },
        hidden,
        size: "page_size",
        read: overTheWire({ table: userApi, line: "GET /api/user/ledger", as: () => api.alice }),
      },
      {
        name: "GET /api/user/ledger of another for administrators",
        parameters: parametersOf("GET /api/user/ledger"),
        filters: {
          user_id: {
            asks: only(() => api.alice.id, "owner"),
            refused: [-1, 0],
          },
        },
        others: { kind: "as above", start_timestamp: "as above", end_timestamp: "as above" },
        size: "page_size",
        read: async (search) => {
          const read = overTheWire({ table: userApi, line: "GET /api/user/ledger", as: () => api.admin });
          if ("user_id" in search) return read(search);
          // Without user_id the call returns only the caller's own rows. So the rows of both users are read and joined.
          const [alice, bob] = await Promise.all([
            read({ ...search, user_id: api.alice.id }),
            read({ ...search, user_id: api.bob.id }),
          ]);
          return { ids: [...alice.ids, ...bob.ids].slice(0, Number(search.page_size ?? 10)) };
        },
      },
      {
        name: "listLedger",
        parameters: fieldsOf(ledgerSearchSchema),
        filters: { kind, ...times },
        others: { userId: whose },
        hidden,
        size: "pageSize",
        read: async (search) => pageOf(await listLedger(asUser(api), search as LedgerSearch)),
      },
      {
        name: "listLedger of another for administrators",
        parameters: fieldsOf(ledgerSearchSchema),
        filters: { kind, ...times },
        others: { userId: whose },
        hidden,
        size: "pageSize",
        read: async (search) =>
          pageOf(await listLedger(asAdmin(api), { ...(search as LedgerSearch), userId: api.alice.id })),
      },
    ],
  };
}

export function statementSubject(api: Api): Subject {
  const owner = () => contextOf(api, api.admin, 1);
  const filters: Record<string, Filter> = {
    kind: {
      asks: [
        ...only("grant", "kind", "consumption"),
        { value: "consumption", leavesOut: ["base", "kind", "early", "late"] },
      ],
      refused: ["nonsense", 1],
    },
    // A day of usage matches every window that overlaps it.
    ...times,
  };
  return {
    name: "statement",
    prepare: async () => {
      const rows = await insertVariants(
        { kind: { kind: "topup" }, early: { createdAt: noon - 2 * DAY }, late: { createdAt: noon + 2 * DAY } },
        async (fields, index) => {
          const first = { userId: api.admin.id, amount: 5, kind: "grant", createdAt: noon };
          const [row] = await api.database.db
            .insert(ledgerEntries)
            .values({ reference: `statement:${index}`, ...first, ...fields })
            .returning({ id: ledgerEntries.id });
          return `entry-${row?.id}`;
        },
      );
      const day = noon - (noon % DAY);
      const use = { userId: api.admin.id, tokenId: 1, channelId: 1, modelName: "m", group: "default" };
      await api.database.db.insert(usageHourly).values({ hour: day, ...use, quota: 3, count: 1 });
      return rows.set(`day-${day}`, "consumption");
    },
    readings: [
      {
        name: "listStatement",
        parameters: fieldsOf(statementSearchSchema),
        others: { timeZone: "whose days the usage has: days-in-zones.test.ts" },
        filters,
        size: "pageSize",
        read: async (search) => pageOf(await listStatement(owner(), search as StatementSearch)),
      },
      {
        name: "readWholeStatement, which the export reads",
        parameters: fieldsOf(statementSearchSchema),
        others: { timeZone: "whose days the usage has: days-in-zones.test.ts" },
        filters,
        read: async (search) => ({
          ids: (await readWholeStatement(owner(), search as StatementSearch)).map(({ id }) => id),
        }),
      },
    ],
  };
}

export function callbackSubject(api: Api): Subject {
  return {
    name: "payment callbacks",
    prepare: () =>
      insertVariants({ outcome: { outcome: "refused" }, trade: { tradeNo: "other" } }, async (fields) => {
        const [row] = await api.database.db
          .insert(paymentCallbacks)
          .values({ provider: "epay", outcome: "credited", tradeNo: "trade-1", ...fields })
          .returning({ id: paymentCallbacks.id });
        return row?.id;
      }),
    readings: [
      {
        name: "listCallbacks",
        parameters: fieldsOf(callbackSearchSchema),
        filters: {
          outcome: { asks: only("credited", "outcome"), refused: ["nonsense", 1] },
          keyword: { asks: only("trade-1", "trade"), refused: [TOO_LONG, 5] },
        },
        size: "pageSize",
        read: async (search) => pageOf(await listCallbacks(asRoot(api), search as CallbackSearch)),
      },
    ],
  };
}
