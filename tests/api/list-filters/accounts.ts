import * as redemptionApi from "@/app/api/redemption/[[...path]]/route";
import * as tokenApi from "@/app/api/token/[[...path]]/route";
import * as userApi from "@/app/api/user/[[...path]]/route";
import { redemptions, tokens, users } from "@/db/schema";
import { seal } from "@/lib/crypto";
import { listRedemptions } from "@/lib/redemption/queries";
import { REDEMPTION_SORTS, type RedemptionSearch, redemptionSearchSchema } from "@/lib/redemption/schemas";
import { listTokens } from "@/lib/token/queries";
import { TOKEN_SORTS, type TokenSearch, tokenSearchSchema } from "@/lib/token/schemas";
import { exportUsers } from "@/lib/user/export-commands";
import { listUsers } from "@/lib/user/queries";
import { USER_SORTS, type UserSearch, userSearchSchema } from "@/lib/user/schemas";
import { type Api, asAdmin, asProved, pageOf, rowsOfFile } from "./actors";
import { parametersOf } from "./parameters";
import {
  type Filter,
  fieldsOf,
  insertVariants,
  only,
  overTheWire,
  type Reading,
  type Subject,
  TOO_LONG,
} from "./proof";

const order = { sort: "order; proven below", descending: "order; proven below" };

export function tokenSubject(api: Api): Subject {
  const variants = {
    name: { name: "beta" },
    key: { keyCipher: seal("zzzzzzzz") },
    status: { status: 2 },
    expired: { expiredTime: 1 },
    group: { group: "vip" },
    owner: { userId: api.bob?.id },
    deleted: { deletedAt: new Date() },
  };
  const hidden = ["owner", "deleted"];
  const keyword: Filter = {
    asks: [...only("alph", "name"), { value: "a_pha", leavesOut: ["base", ...Object.keys(variants)] }],
    refused: [TOO_LONG],
  };
  const key: Filter = { asks: [...only("cdef", "key"), { value: "sk-abcd", leavesOut: ["key"] }], refused: [TOO_LONG] };
  return {
    name: "tokens",
    prepare: () =>
      insertVariants({ ...variants, owner: { userId: api.bob.id } }, async (fields, index) => {
        const spread = 7 * ((index * 5) % 8) + 1;
        const row = {
          userId: api.alice.id,
          name: "alpha",
          keyHash: `hash-${index}`,
          keyCipher: seal("abcdefgh"),
          keyHint: "",
          remainQuota: spread,
          usedQuota: spread + 1,
          createdTime: spread + 2,
          accessedTime: spread + 3,
          ...fields,
        };
        const [made] = await api.database.db.insert(tokens).values(row).returning({ id: tokens.id });
        return made?.id;
      }),
    readings: [
      {
        name: "GET /api/token",
        parameters: parametersOf("GET /api/token"),
        filters: {},
        hidden,
        size: "size",
        read: overTheWire({ table: tokenApi, line: "GET /api/token/", as: () => api.alice }),
      },
      {
        name: "GET /api/token/search",
        parameters: parametersOf("GET /api/token/search"),
        filters: { keyword, token: key },
        hidden,
        size: "size",
        read: overTheWire({ table: tokenApi, line: "GET /api/token/search", as: () => api.alice }),
      },
      {
        name: "listTokens",
        parameters: fieldsOf(tokenSearchSchema),
        filters: {
          keyword: { ...keyword, refused: [TOO_LONG, 5] },
          key: { ...key, refused: [TOO_LONG, 5] },
          status: {
            asks: [
              ...only(1, "status", "expired"),
              { value: 3, leavesOut: ["base", ...Object.keys(variants)].filter((name) => name !== "expired") },
            ],
            refused: [0, 5, "1"],
          },
          group: { asks: only("", "group"), refused: [TOO_LONG, 5] },
        },
        others: order,
        hidden,
        size: "pageSize",
        sorts: TOKEN_SORTS,
        read: async (search) => pageOf(await listTokens(asProved(api), search as TokenSearch)),
      },
    ],
  };
}

export function userSubject(api: Api): Subject {
  const strangers = ["root", "admin", "alice", "bob"];
  const variants = {
    name: { username: "elsewhere" },
    group: { group: "vip" },
    role: { role: 10 },
    status: { status: 2 },
    deleted: { deletedAt: new Date() },
  };
  const keyword: Filter = {
    asks: [
      ...only("probe", "name", ...strangers),
      {
        value: "robe-gr",
        leavesOut: ["base", ...Object.keys(variants), ...strangers].filter((row) => row !== "group"),
      },
      { value: "pr_be", leavesOut: ["base", ...Object.keys(variants), ...strangers] },
    ],
    refused: [TOO_LONG],
  };
  const group: Filter = { asks: only("default", "group"), refused: [TOO_LONG] };
  const filters: Record<string, Filter> = {
    keyword: { ...keyword, refused: [TOO_LONG, 5] },
    group: { ...group, refused: [TOO_LONG, 5] },
    role: { asks: only(1, "role", "root", "admin"), refused: ["x", 1.5, 2 ** 31] },
    status: { asks: only("enabled", "status", "deleted"), refused: ["nonsense", 1] },
  };
  return {
    name: "users",
    prepare: async () => {
      const rows = await insertVariants(variants, async (fields, index, name) => {
        const spread = 7 * ((index * 5) % 8);
        const numbers = { quota: spread, usedQuota: spread + 1, requestCount: spread + 2 };
        const row = { username: `probe-${name}`, affCount: spread, affHistoryQuota: spread, ...numbers, ...fields };
        const [made] = await api.database.db.insert(users).values(row).returning({ id: users.id });
        return made?.id;
      });
      for (const { id, username } of [api.root, api.admin, api.alice, api.bob]) rows.set(String(id), username);
      return rows;
    },
    readings: [
      {
        name: "GET /api/user",
        parameters: parametersOf("GET /api/user"),
        filters: {},
        size: "page_size",
        read: overTheWire({ table: userApi, line: "GET /api/user/", as: () => api.admin }),
      },
      {
        name: "GET /api/user/search",
        parameters: parametersOf("GET /api/user/search"),
        filters: { keyword, group },
        size: "page_size",
        read: overTheWire({ table: userApi, line: "GET /api/user/search", as: () => api.admin }),
      },
      {
        name: "listUsers",
        parameters: fieldsOf(userSearchSchema),
        filters,
        others: order,
        size: "pageSize",
        sorts: USER_SORTS,
        read: async (search) => pageOf(await listUsers(asAdmin(api), search as UserSearch)),
      },
      exportOfUsers(api, filters),
    ],
  };
}

/** Runs on the rows of the list: the export must contain what the list shows. */
function exportOfUsers(api: Api, filters: Record<string, Filter>): Reading {
  return {
    name: "exportUsers",
    parameters: fieldsOf(userSearchSchema),
    filters,
    others: { sort: "always by id", descending: "always by id" },
    read: (search) => rowsOfFile(api, exportUsers(asAdmin(api), search as UserSearch, "jsonl")),
  };
}

export function redemptionSubject(api: Api): Subject {
  const variants = {
    name: { name: "beta" },
    status: { status: 2 },
    used: { status: 3 },
    expired: { expiredTime: 1 },
    expiring: { expiredTime: 4_000_000_000 },
    "expired and used": { status: 3, expiredTime: 1 },
    deleted: { deletedAt: new Date() },
  };
  const keyword: Filter = {
    asks: [...only("ALPH", "name"), ...only("lpha", "name"), ...only("PH", "name")],
    refused: [TOO_LONG],
  };
  return {
    name: "redemption codes",
    prepare: () =>
      insertVariants(variants, async (fields, index) => {
        const spread = 7 * ((index * 5) % 8) + 1;
        const times = { createdTime: spread, redeemedTime: spread };
        const row = { userId: api.admin.id, key: `code-${index}`, name: "alpha", quota: spread, ...times, ...fields };
        const [made] = await api.database.db.insert(redemptions).values(row).returning({ id: redemptions.id });
        return made?.id;
      }),
    readings: [
      {
        name: "GET /api/redemption",
        parameters: parametersOf("GET /api/redemption"),
        filters: {},
        hidden: ["deleted"],
        size: "page_size",
        read: overTheWire({ table: redemptionApi, line: "GET /api/redemption/", as: () => api.admin }),
      },
      {
        name: "GET /api/redemption/search",
        parameters: parametersOf("GET /api/redemption/search"),
        filters: { keyword },
        hidden: ["deleted"],
        size: "page_size",
        read: overTheWire({ table: redemptionApi, line: "GET /api/redemption/search", as: () => api.admin }),
      },
      {
        name: "listRedemptions",
        parameters: fieldsOf(redemptionSearchSchema),
        filters: {
          keyword: { ...keyword, refused: [TOO_LONG, 5] },
          status: {
            asks: [
              ...only(1, "status", "used", "expired", "expired and used"),
              ...only(3, "base", "name", "status", "expired", "expiring"),
              // Unused, and nobody can redeem them any more.
              ...only(4, "base", "name", "status", "used", "expiring", "expired and used"),
            ],
            refused: [0, 5, "1"],
          },
        },
        others: order,
        hidden: ["deleted"],
        size: "pageSize",
        sorts: REDEMPTION_SORTS,
        read: async (search) => pageOf(await listRedemptions(asAdmin(api), search as RedemptionSearch)),
      },
    ],
  };
}
