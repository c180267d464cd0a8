import { z } from "zod";
import type { ServiceContext } from "@/lib/context";
import { listDrawings } from "@/lib/drawing/queries";
import { toWireDrawing } from "@/lib/drawing/wire";
import { defined, integerParam, pageParam, textParam } from "@/lib/http/query";
import { defineRoutes, route } from "@/lib/http/route";

const search = z.object({
  p: pageParam,
  page_size: pageParam,
  channel_id: integerParam,
  mj_id: textParam,
  start_timestamp: integerParam,
  end_timestamp: integerParam,
});

/** Returns a plain list. Pages count from 0 and have 10 rows by default (contract §1.12). */
async function list(ctx: ServiceContext, scope: "all" | "own", query: z.output<typeof search>) {
  const filters = defined({
    pageSize: query.page_size,
    // Clients send 0 for "any".
    channelId: query.channel_id === 0 ? undefined : query.channel_id,
    mjId: query.mj_id,
    from: query.start_timestamp,
    until: query.end_timestamp,
  });
  const page = Math.max(query.p ?? 0, 0) + 1;
  return (await listDrawings(ctx, { scope, page, ...filters })).items.map(toWireDrawing);
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
