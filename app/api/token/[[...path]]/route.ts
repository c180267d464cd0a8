import { z } from "zod";
import type { ServiceContext } from "@/lib/context";
import { defined, pageParam, textParam } from "@/lib/http/query";
import { defineRoutes, route } from "@/lib/http/route";
import { loadOptions } from "@/lib/option/queries";
import { createToken, deleteToken, revealToken, rotateToken, setTokenStatus, updateToken } from "@/lib/token/commands";
import { getToken, listTokens, readTokenKeys } from "@/lib/token/queries";
import { tokenStatusSchema } from "@/lib/token/schemas";
import type { Token } from "@/lib/token/types";
import {
  toCreateTokenInput,
  toUpdateTokenInput,
  toWireToken,
  wireNewTokenSchema,
  wireTokenSchema,
} from "@/lib/token/wire";
import { parseInput } from "@/lib/validation";

/** Page size of a search without one. */
const SEARCH_ROWS = 100;
const paging = { p: pageParam, size: pageParam, page_size: pageParam };

/** Adds the keys to the owner's tokens for a caller who may see them, unless TokenKeyInListEnabled is off. */
async function withKeys(ctx: ServiceContext, tokens: Token[]) {
  const { TokenKeyInListEnabled } = await loadOptions(ctx.db);
  const keys = TokenKeyInListEnabled
    ? await readTokenKeys(
        ctx,
        tokens.map(({ id }) => id),
      )
    : new Map<number, string>();
  return tokens.map((token) => toWireToken(token, keys.get(token.id)));
}

async function withKey(ctx: ServiceContext, token: Token) {
  const [wire] = await withKeys(ctx, [token]);
  return wire;
}

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = defineRoutes([
  route({
    method: "GET",
    path: "/",
    reads: true,
    access: "user",
    query: z.object(paging),
    // Pages count from 0 here (contract §13.2).
    handler: async ({ ctx, query }) => {
      const pageSize = query.size ?? query.page_size;
      const page = await listTokens(ctx, defined({ page: Math.max(query.p ?? 0, 0) + 1, pageSize }));
      return withKeys(ctx, page.items);
    },
  }),
  route({
    method: "GET",
    path: "/search",
    reads: true,
    access: "user",
    query: z.object({ ...paging, keyword: textParam, token: textParam }),
    // The contract's search has no pages. Clients may send p and page_size to read on.
    handler: async ({ ctx, query }) => {
      const search = defined({ keyword: query.keyword, key: query.token });
      const pageSize = query.size ?? query.page_size ?? SEARCH_ROWS;
      const found = await listTokens(ctx, { ...search, page: Math.max(query.p ?? 0, 0) + 1, pageSize });
      return withKeys(ctx, found.items);
    },
  }),
  route({
    method: "GET",
    path: "/:id",
    access: "user",
    handler: async ({ ctx, id }) => withKey(ctx, await getToken(ctx, id)),
  }),
  route({
    method: "POST",
    path: "/",
    access: "user",
    body: wireNewTokenSchema,
    handler: async ({ ctx, body }) => {
      const { token, key } = await createToken(ctx, toCreateTokenInput(body));
      return toWireToken(token, key);
    },
  }),
  route({
    method: "PUT",
    path: "/",
    access: "user",
    query: z.object({ status_only: textParam }),
    body: wireTokenSchema,
    handler: async ({ ctx, query, body }) => {
      const { id, status } = body;
      if (query.status_only)
        return withKey(ctx, await setTokenStatus(ctx, parseInput(tokenStatusSchema, { id, status })));
      return withKey(ctx, await updateToken(ctx, toUpdateTokenInput(body)));
    },
  }),
  route({
    method: "POST",
    path: "/:id/key",
    access: "user",
    proof: true,
    handler: async ({ ctx, id }) => ({ key: await revealToken(ctx, id) }),
  }),
  route({
    method: "POST",
    path: "/:id/rotate",
    access: "user",
    proof: true,
    handler: async ({ ctx, id }) => {
      const { token, key } = await rotateToken(ctx, id);
      return toWireToken(token, key);
    },
  }),
  route({ method: "DELETE", path: "/:id", access: "user", handler: ({ ctx, id }) => deleteToken(ctx, id) }),
]);
