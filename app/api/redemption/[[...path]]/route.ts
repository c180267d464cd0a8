import { z } from "zod";
import { fieldsBeside } from "@/lib/http/body-fields";
import { redemptionRow } from "@/lib/http/openapi/rows";
import { defined, pageParam, textParam } from "@/lib/http/query";
import { defineRoutes, route } from "@/lib/http/route";
import type { Page } from "@/lib/page";
import { createRedemptions, deleteRedemption, setRedemptionStatus, updateRedemption } from "@/lib/redemption/commands";
import { getRedemption, listRedemptions } from "@/lib/redemption/queries";
import { createRedemptionsSchema, redemptionStatusSchema, updateRedemptionSchema } from "@/lib/redemption/schemas";
import type { Redemption } from "@/lib/redemption/types";
import { toWireRedemption, wireNewRedemptionSchema, wireRedemptionSchema } from "@/lib/redemption/wire";
import { parseInput } from "@/lib/validation";

// Pages count from 1 here; 0 means the first page too (contract §13.2, decision T8).
const paging = { p: pageParam, page_size: pageParam };

function toWirePage({ items, total, page, pageSize }: Page<Redemption>) {
  return { items: items.map(toWireRedemption), total, page, page_size: pageSize };
}

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
    body: wireNewRedemptionSchema,
    row: redemptionRow,
    makes: createRedemptionsSchema,
    handler: ({ ctx, body }) => {
      const { name = "", quota, count, expired_time: expiredTime } = body;
      return createRedemptions(ctx, { name, ...defined({ quota, count, expiredTime }) });
    },
  }),
  route({
    method: "PUT",
    path: "/",
    access: "admin",
    query: z.object({ status_only: textParam }),
    body: wireRedemptionSchema,
    row: redemptionRow,
    makes: updateRedemptionSchema,
    handler: async ({ ctx, query, body, note }) => {
      const { id, status, name, quota, expired_time: expiredTime } = body;
      if (query.status_only) {
        const input = parseInput(redemptionStatusSchema, { id, status });
        const row = toWireRedemption(await setRedemptionStatus(ctx, input));
        for (const field of fieldsBeside(["id", "status"], body, row)) note(field, "statusOnly");
        return row;
      }
      const given = defined({ name, quota, expiredTime, statusSeen: status });
      return toWireRedemption(await updateRedemption(ctx, { id, ...given }));
    },
  }),
  route({ method: "DELETE", path: "/:id", access: "admin", handler: ({ ctx, id }) => deleteRedemption(ctx, id) }),
]);
