import { z } from "zod";
import type { ServiceContext } from "@/lib/context";
import { exportFile, formatParam } from "@/lib/http/file-reply";
import { defined, integerParam, textParam } from "@/lib/http/query";
import { defineRoutes, route } from "@/lib/http/route";
import { EXPORTED_TABLES, exportDashboard } from "@/lib/statistics/export-dashboard";
import { MARGIN_DIMENSIONS } from "@/lib/statistics/margin-types";
import { listHourlyUsage } from "@/lib/statistics/queries";
import { DIMENSIONS, GRANULARITIES, type HourlyUsage } from "@/lib/statistics/types";

const DAY_SECONDS = 86_400;

const window = z.object({
  start_timestamp: integerParam,
  end_timestamp: integerParam,
  username: textParam,
  // Accepted but ignored: replies are always hourly, and the client sums them to days or weeks.
  default_time: textParam,
});
type Window = Pick<z.output<typeof window>, "start_timestamp" | "end_timestamp">;

function boundsOf({ start_timestamp: from, end_timestamp: until }: Window): { from: number; until: number } {
  const end = until ?? Math.floor(Date.now() / 1000);
  return { from: from ?? end - DAY_SECONDS, until: end };
}

function toWireUsage({ modelName, hour, count, quota, tokens }: HourlyUsage) {
  return { model_name: modelName, created_at: hour, count, quota, token_used: tokens };
}

const tableParams = z.object({
  ...formatParam,
  /** What of it: the sums of each hour, day, week or month by model, or by `split`; margin, losses and health are for administrators. */
  table: z.enum(EXPORTED_TABLES).default("usage"),
  granularity: z.enum(GRANULARITIES).default("day"),
  split: z.enum(DIMENSIONS).default("model"),
  margin: z.enum(MARGIN_DIMENSIONS).default("channel"),
  time_zone: z.string().max(64).default("UTC"),
  start_timestamp: integerParam,
  end_timestamp: integerParam,
});

type Table = z.output<typeof tableParams> & { username?: string | undefined };

function exportUsage(ctx: ServiceContext, request: Request, query: Table, scope: "all" | "own"): Promise<Response> {
  const { format, table, granularity, split: dimension, margin, time_zone: timeZone, username } = query;
  const search = { scope, ...boundsOf(query), granularity, dimension, timeZone, ...defined({ username }) };
  return exportFile({ ctx, request, name: "usage", format }, (_format, words) =>
    exportDashboard(ctx, { table, format, search, margin, words }),
  );
}

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = defineRoutes([
  route({
    method: "GET",
    path: "/",
    reads: true,
    access: "admin",
    query: window,
    handler: async ({ ctx, query }) => {
      const { username } = query;
      const rows = await listHourlyUsage(ctx, { scope: "all", ...boundsOf(query), ...defined({ username }) });
      return rows.map(toWireUsage);
    },
  }),
  route({
    method: "GET",
    path: "/self",
    reads: true,
    access: "user",
    query: window,
    handler: async ({ ctx, query }) =>
      (await listHourlyUsage(ctx, { scope: "own", ...boundsOf(query) })).map(toWireUsage),
  }),
  route({
    method: "GET",
    path: "/export",
    access: "admin",
    query: tableParams.extend({ username: textParam }),
    handler: ({ ctx, request, query }) => exportUsage(ctx, request, query, "all"),
  }),
  route({
    method: "GET",
    path: "/self/export",
    access: "user",
    query: tableParams,
    handler: ({ ctx, request, query }) => exportUsage(ctx, request, query, "own"),
  }),
]);
