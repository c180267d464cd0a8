import * as channelApi from "@/app/api/channel/[[...path]]/route";
import { channels } from "@/db/schema";
import { exportChannels } from "@/lib/channel/export-commands";
import { fingerprintOf } from "@/lib/channel/fingerprint";
import { listChannels } from "@/lib/channel/queries";
import {
  CHANNEL_SORTS,
  type ChannelFilter,
  type ChannelSearch,
  channelFilterSchema,
  channelSearchSchema,
} from "@/lib/channel/schemas";
import { listTagRows } from "@/lib/channel/tag-queries";
import { type Api, asAdmin, pageOf, rowsOfFile } from "./actors";
import { parametersOf } from "./parameters";
import { type Filter, fieldsOf, insertVariants, only, overTheWire, type Subject, TOO_LONG } from "./proof";

const variants = {
  name: { name: "beta" },
  model: { models: "claude-3" },
  group: { group: "vip" },
  status: { status: 2 },
  type: { type: 14 },
  tag: { tag: "tagged" },
  key: { keyFingerprint: fingerprintOf("sk-other") },
  address: { baseUrl: "https://other.example" },
};

async function insertChannel(api: Api, fields: Partial<typeof channels.$inferInsert>, index: number) {
  const spread = 7 * ((index * 5) % 9);
  const row = {
    name: "alpha",
    keyCipher: "",
    keyFingerprint: fingerprintOf("sk-whole"),
    models: "gpt-4o,o3",
    group: "default,inner",
    baseUrl: "https://up.example",
    priority: spread,
    weight: spread + 1,
    usedQuota: spread + 2,
    balance: spread / 2,
    responseTime: spread + 3,
    testTime: spread + 4,
    createdTime: spread + 5,
    ...fields,
  };
  const [made] = await api.database.db.insert(channels).values(row).returning({ id: channels.id });
  return made?.id;
}

const everyRow = ["base", ...Object.keys(variants)];
const keyword: Filter = {
  asks: [
    ...only("alpha", "name"),
    { value: "LPH", leavesOut: ["name"] },
    { value: "sk-whole", leavesOut: ["key"] },
    { value: "a_pha", leavesOut: everyRow },
  ],
  refused: [TOO_LONG],
};
const baseUrl: Filter = { asks: only("UP.example", "address"), refused: [TOO_LONG] };
const model: Filter = { asks: only("gpt-4", "model"), refused: [TOO_LONG] };

const domainFilters: Record<string, Filter> = {
  keyword: { asks: [...keyword.asks, { value: "up.example", leavesOut: ["address"] }], refused: [TOO_LONG, 5] },
  baseUrl: { ...baseUrl, refused: [TOO_LONG, 5] },
  model: { ...model, refused: [TOO_LONG, 5] },
  groups: { asks: [...only(["default"], "group"), { value: ["vip", "inner"], leavesOut: [] }], refused: ["x", [5]] },
  statuses: { asks: [...only([1], "status"), { value: [1, 2], leavesOut: [] }], refused: [["x"], 5, [99]] },
  types: { asks: [...only([1], "type"), { value: [1, 14], leavesOut: [] }], refused: [["x"], 5, [2 ** 31]] },
  // Channels without a tag, and channels with either value.
  tags: { asks: [...only([""], "tag"), { value: ["", "tagged"], leavesOut: [] }], refused: [[5], 5] },
};

const ANY = { keyword: "", model: "", groups: [], statuses: [], types: [], tags: [] };

export function channelSubject(api: Api): Subject {
  const keywordIn = "where the keyword is looked for; older-clients.test.ts";
  const order = {
    sort: "order; proven below",
    descending: "order; proven below",
    tagMode: "what a page counts; its own reading",
    keywordIn,
  };
  const wireOrder = {
    id_sort: "order; channel.test.ts",
    tag_mode: "what a page counts; channel.test.ts",
  };
  let tagId = "";
  return {
    name: "channels",
    prepare: async () => {
      const rows = await insertVariants(variants, (fields, index) => insertChannel(api, fields, index));
      tagId = [...rows].find(([, name]) => name === "tag")?.[0] ?? "";
      return rows;
    },
    readings: [
      {
        name: "GET /api/channel",
        parameters: parametersOf("GET /api/channel"),
        filters: {},
        others: wireOrder,
        size: "page_size",
        read: overTheWire({ table: channelApi, line: "GET /api/channel/", as: () => api.admin }),
      },
      {
        name: "GET /api/channel/search",
        parameters: parametersOf("GET /api/channel/search"),
        filters: {
          keyword: { ...keyword, asks: [...keyword.asks, { value: "up.example", leavesOut: everyRow }] },
          base_url: baseUrl,
          model,
          group: { asks: only("default", "group"), refused: [TOO_LONG] },
        },
        others: wireOrder,
        size: "page_size",
        read: overTheWire({ table: channelApi, line: "GET /api/channel/search", as: () => api.admin }),
      },
      {
        name: "listChannels",
        parameters: fieldsOf(channelSearchSchema),
        filters: domainFilters,
        others: order,
        size: "pageSize",
        sorts: CHANNEL_SORTS,
        read: async (search) => pageOf(await listChannels(asAdmin(api), search as ChannelSearch)),
      },
      {
        name: "exportChannels",
        parameters: fieldsOf(channelFilterSchema),
        filters: domainFilters,
        others: { keywordIn },
        read: (search) => {
          const filter = { ...ANY, ...search } as ChannelFilter;
          return rowsOfFile(api, exportChannels(asAdmin(api), { filter }, "jsonl"));
        },
      },
      {
        name: "listTagRows",
        parameters: fieldsOf(channelSearchSchema),
        filters: domainFilters,
        others: order,
        size: "pageSize",
        read: async (search) => {
          const { items, total } = await listTagRows(asAdmin(api), search as ChannelSearch);
          // The tag row stands for its only member.
          return { ids: items.map((row) => (row.kind === "channel" ? row.channel.id : tagId)), total };
        },
      },
    ],
  };
}
