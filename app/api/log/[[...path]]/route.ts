import { z } from "zod";
import { defined, integerParam, pageParam, textParam } from "@/lib/http/query";
import { defineRoutes, route } from "@/lib/http/route";
import type { Page } from "@/lib/page";
import { deleteLogs } from "@/lib/usage-log/commands";
import { listLogs } from "@/lib/usage-log/queries";
import type { LogSearch } from "@/lib/usage-log/schemas";
import { sumLogs } from "@/lib/usage-log/sum-queries";
import type { UsageLog } from "@/lib/usage-log/types";
import { toWireLog } from "@/lib/usage-log/wire";

const filters = z.object({
  p: pageParam,
  page_size: pageParam,
  type: integerParam,
  username: textParam,
  token_name: textParam,
  model_name: textParam,
  start_timestamp: integerParam,
  end_timestamp: integerParam,
  channel: integerParam,
  group: textParam,
});

function toSearch(query: z.output<typeof filters>, scope: "all" | "own"): LogSearch {
  const own = scope === "own";
  return {
    scope,
    ...defined({
      // Pages count from 1; 0 is the first one too (contract §13.2).
      page: Math.max(query.p ?? 1, 1),
      pageSize: query.page_size,
      type: query.type,
      username: own ? undefined : query.username,
      tokenName: query.token_name,
      modelName: query.model_name,
      startTimestamp: query.start_timestamp,
      endTimestamp: query.end_timestamp,
      channelId: own || query.channel === 0 ? undefined : query.channel,
      group: query.group,
    }),
  };
}

function toWirePage(page: Page<UsageLog>) {
  const { items, total, page: number, pageSize, isTotalCapped = false } = page;
  // `total` is a number for clients of the contract; whether there are more is said beside it.
  return { items: items.map(toWireLog), total, total_capped: isTotalCapped, page: number, page_size: pageSize };
}

export const { GET, POST, PUT, DELETE } = defineRoutes([
  route({
    method: "GET",
    path: "/",
    access: "admin",
    query: filters,
    handler: async ({ ctx, query }) => toWirePage(await listLogs(ctx, toSearch(query, "all"))),
  }),
  route({
    method: "GET",
    path: "/self",
    access: "user",
    query: filters,
    handler: async ({ ctx, query }) => toWirePage(await listLogs(ctx, toSearch(query, "own"))),
  }),
  route({
    method: "GET",
    path: "/stat",
    access: "admin",
    query: filters,
    handler: ({ ctx, query }) => sumLogs(ctx, toSearch(query, "all")),
  }),
  route({
    method: "GET",
    path: "/self/stat",
    access: "user",
    query: filters,
    handler: ({ ctx, query }) => sumLogs(ctx, toSearch(query, "own")),
  }),
  route({
    method: "DELETE",
    path: "/",
    access: "admin",
    query: z.object({ target_timestamp: integerParam }),
    handler: ({ ctx, query }) => deleteLogs(ctx, query.target_timestamp ?? 0),
  }),
]);
