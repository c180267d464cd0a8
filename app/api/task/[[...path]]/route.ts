import { z } from "zod";
import type { ServiceContext } from "@/lib/context";
import { defined, integerParam, pageParam, textParam } from "@/lib/http/query";
import { defineRoutes, route } from "@/lib/http/route";
import { listTasks } from "@/lib/task/queries";
import { toWireTask } from "@/lib/task/wire";

const search = z.object({
  p: pageParam,
  page_size: pageParam,
  platform: textParam,
  task_id: textParam,
  status: textParam,
  action: textParam,
  channel_id: integerParam,
  start_timestamp: integerParam,
  end_timestamp: integerParam,
});

/** Returns a plain list. Pages count from 0 and have 10 rows by default (contract §1.12). */
async function list(ctx: ServiceContext, scope: "all" | "own", query: z.output<typeof search>) {
  const { platform, status, action } = query;
  const filters = defined({
    pageSize: query.page_size,
    taskId: query.task_id,
    platform,
    status,
    action,
    // Clients send 0 for "any".
    channelId: query.channel_id === 0 ? undefined : query.channel_id,
    from: query.start_timestamp,
    until: query.end_timestamp,
  });
  const page = Math.max(query.p ?? 0, 0) + 1;
  return (await listTasks(ctx, { scope, page, ...filters })).items.map(toWireTask);
}

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = defineRoutes([
  route({
    method: "GET",
    path: "/",
    reads: true,
    access: "admin",
    query: search,
    handler: ({ ctx, query }) => list(ctx, "all", query),
  }),
  route({
    method: "GET",
    path: "/self",
    reads: true,
    access: "user",
    query: search,
    handler: ({ ctx, query }) => list(ctx, "own", query),
  }),
]);
