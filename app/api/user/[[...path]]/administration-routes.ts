import { z } from "zod";
import { usedOfRow } from "@/lib/billing/meant-change";
import { defined, groupParam, pageParam, textParam } from "@/lib/http/query";
import { type Route, route } from "@/lib/http/route";
import { fromWireLimits, wireLimits } from "@/lib/limit/wire";
import type { Page } from "@/lib/page";
import { createUser, manageUser, updateUser } from "@/lib/user/commands";
import { eraseUser } from "@/lib/user/erase-commands";
import { getUser, listUsers } from "@/lib/user/queries";
import { manageUserSchema } from "@/lib/user/schemas";
import type { UserListItem } from "@/lib/user/types";
import { toWireUser } from "@/lib/user/wire";

const paging = { p: pageParam, page_size: pageParam };

/** Pages count from 1 here; older clients ask for page 0 first (contract §13.2). */
function toPaging(query: { p?: number | undefined; page_size?: number | undefined }) {
  return defined({ page: Math.max(query.p ?? 1, 1), pageSize: query.page_size });
}

function toWirePage({ items, total, page, pageSize }: Page<UserListItem>) {
  return { items: items.map(toWireUser), total, page, page_size: pageSize };
}

const listRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/",
    reads: true,
    access: "admin",
    query: z.object(paging),
    handler: async ({ ctx, query }) => toWirePage(await listUsers(ctx, toPaging(query))),
  }),
  route({
    method: "GET",
    path: "/search",
    reads: true,
    access: "admin",
    query: z.object({ ...paging, keyword: textParam, group: groupParam }),
    handler: async ({ ctx, query }) => {
      const { keyword, group } = query;
      return toWirePage(await listUsers(ctx, { ...toPaging(query), ...defined({ keyword, group }) }));
    },
  }),
  route({
    method: "GET",
    path: "/:id",
    access: "admin",
    handler: async ({ ctx, id }) => toWireUser(await getUser(ctx, id)),
  }),
];

const created = z.object({
  username: z.string("userFieldsMissing").default(""),
  password: z.string("userFieldsMissing").default(""),
  display_name: z.string("displayNameTooLong").nullish(),
  role: z.number("roleInvalid").optional(),
});

/** Clients send back a whole row; fields not listed here are ignored. */
const updated = z.object({
  id: manageUserSchema.shape.id,
  username: z.string("usernameInvalid").optional(),
  display_name: z.string("displayNameTooLong").optional(),
  password: z.string("passwordLength").optional(),
  group: z.string("groupUnknown").optional(),
  quota: z.number("userQuotaInvalid").optional(),
  /** What the client saw as the balance; the difference to it is applied. */
  seen_quota: z.number("userQuotaInvalid").optional(),
  /** Read-only. In a whole row sent back it tells which charges the client had seen. */
  used_quota: z.unknown().optional(),
  role: z.number("roleInvalid").optional(),
  ...wireLimits,
});

const changeRoutes: readonly Route[] = [
  route({
    method: "POST",
    path: "/",
    access: "admin",
    body: created,
    handler: async ({ ctx, body }) => {
      const { display_name: displayName, ...same } = body;
      await createUser(ctx, { ...same, displayName: displayName ?? "" });
    },
  }),
  route({
    method: "PUT",
    path: "/",
    access: "admin",
    proof: true,
    body: updated,
    handler: async ({ ctx, body }) => {
      const { display_name: displayName, seen_quota: quotaSeen, used_quota: used, ...same } = body;
      const seen = {
        ...(quotaSeen === undefined ? {} : { seen: { quota: quotaSeen } }),
        usedQuotaSeen: usedOfRow(used),
      };
      return toWireUser(await updateUser(ctx, { ...same, ...seen, ...fromWireLimits(body), displayName }));
    },
  }),
  route({
    method: "POST",
    path: "/manage",
    access: "admin",
    proof: true,
    body: manageUserSchema,
    handler: async ({ ctx, body }) => {
      const { role, status } = await manageUser(ctx, body);
      return { role, status };
    },
  }),
  route({ method: "DELETE", path: "/:id", access: "admin", handler: ({ ctx, id }) => eraseUser(ctx, id) }),
];

export const administrationRoutes: readonly Route[] = [...listRoutes, ...changeRoutes];
