import { z } from "zod";
import { defined, pageParam, textParam } from "@/lib/http/query";
import { defineRoutes, route } from "@/lib/http/route";
import type { Page } from "@/lib/page";
import { createRedemptions, deleteRedemption, setRedemptionStatus, updateRedemption } from "@/lib/redemption/commands";
import { getRedemption, listRedemptions } from "@/lib/redemption/queries";
import { redemptionStatusSchema } from "@/lib/redemption/schemas";
import type { Redemption } from "@/lib/redemption/types";
import { toWireRedemption, wireRedemptionSchema } from "@/lib/redemption/wire";
import { parseInput } from "@/lib/validation";

// Pages count from 1 here; 0 means the first page too (contract §13.2, decision T8).
const paging = { p: pageParam, page_size: pageParam };

function toWirePage({ items, total, page, pageSize }: Page<Redemption>) {
  return { items: items.map(toWireRedemption), total, page, page_size: pageSize };
}

const update = wireRedemptionSchema.required({ id: true });

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = defineRoutes([
  route({
    method: "GET",
    path: "/",
    reads: true,
    access: "admin",
    query: z.object(paging),
    handler: async ({ ctx, query }) =>
      toWirePage(await listRedemptions(ctx, defined({ page: query.p, pageSize: query.page_size }))),
  }),
  route({
    method: "GET",
    path: "/search",
    reads: true,
    access: "admin",
    query: z.object({ ...paging, keyword: textParam }),
    handler: async ({ ctx, query }) =>
      toWirePage(
        await listRedemptions(ctx, defined({ keyword: query.keyword, page: query.p, pageSize: query.page_size })),
      ),
  }),
  route({
    method: "GET",
    path: "/:id",
    access: "admin",
    handler: async ({ ctx, id }) => toWireRedemption(await getRedemption(ctx, id)),
  }),
  route({
    method: "POST",
    path: "/",
    access: "admin",
    body: wireRedemptionSchema,
    handler: ({ ctx, body }) =>
      createRedemptions(ctx, { name: body.name ?? "", quota: body.quota ?? 0, count: body.count ?? 1 }),
  }),
  route({
    method: "PUT",
    path: "/",
    access: "admin",
    query: z.object({ status_only: textParam }),
    body: update,
    handler: async ({ ctx, query, body }) => {
      const { id, status, name, quota } = body;
      if (query.status_only)
        return toWireRedemption(await setRedemptionStatus(ctx, parseInput(redemptionStatusSchema, { id, status })));
      return toWireRedemption(await updateRedemption(ctx, { id, ...defined({ name, quota }) }));
    },
  }),
  route({ method: "DELETE", path: "/:id", access: "admin", handler: ({ ctx, id }) => deleteRedemption(ctx, id) }),
]);
