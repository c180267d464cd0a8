import { z } from "zod";
import { defined, integerParam, textParam } from "@/lib/http/query";
import { defineRoutes, route } from "@/lib/http/route";
import { listHourlyUsage } from "@/lib/statistics/queries";
import type { HourlyUsage } from "@/lib/statistics/types";

const DAY_SECONDS = 86_400;

const window = z.object({
  start_timestamp: integerParam,
  end_timestamp: integerParam,
  username: textParam,
  // Accepted but ignored: replies are always hourly, and the client sums them to days or weeks.
  default_time: textParam,
});
type Window = z.output<typeof window>;

function boundsOf({ start_timestamp: from, end_timestamp: until }: Window): { from: number; until: number } {
  const end = until ?? Math.floor(Date.now() / 1000);
  return { from: from ?? end - DAY_SECONDS, until: end };
}

function toWireUsage({ modelName, hour, count, quota, tokens }: HourlyUsage) {
  return { model_name: modelName, created_at: hour, count, quota, token_used: tokens };
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
]);
