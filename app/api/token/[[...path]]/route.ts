import { z } from "zod";
import type { ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { fieldsBeside } from "@/lib/http/body-fields";
import { idField, idParam } from "@/lib/http/id";
import { tokenRow } from "@/lib/http/openapi/rows";
import { defined, pageParam, textParam } from "@/lib/http/query";
import { defineRoutes, route } from "@/lib/http/route";
import { MATCHING_MAX } from "@/lib/matching-max";
import { loadOptions } from "@/lib/option/queries";
import {
  createToken,
  deleteToken,
  deleteTokens,
  revealToken,
  rotateToken,
  setTokenStatus,
  updateToken,
} from "@/lib/token/commands";
import { getToken, listTokens, readTokenKeys } from "@/lib/token/queries";
import { createTokenSchema, tokenStatusSchema, updateTokenSchema } from "@/lib/token/schemas";
import type { Token } from "@/lib/token/types";
import {
  toCreateTokenInput,
  tokenNotes,
  toUpdateTokenInput,
  toWireToken,
  wireNewTokenSchema,
  wireTokenSchema,
} from "@/lib/token/wire";
import { parseInput } from "@/lib/validation";

/** Page size of a search without one. */
const SEARCH_ROWS = 100;
/** Whose keys are meant, for administrators; absent = the caller's own. */
const whose = { user_id: idParam };
const paging = { p: pageParam, size: pageParam, page_size: pageParam, ...whose };
const ids = z.array(idField.min(1, "parametersInvalid"));
const batchSchema = z.object({
  ids: ids.min(1, "parametersInvalid").max(MATCHING_MAX, "parametersInvalid"),
  user_id: wireTokenSchema.shape.user_id,
});
/** What a call that only switches a key reads. Of what was used a row that is sent back may say an older amount. */
const STATUS_FIELDS = ["id", "status", "user_id", "used_quota", "seen_remain_quota"];

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

/** A list that is sent without the switch would leave a key without limits that looks as if it had some. */
async function assertModelsLimited(ctx: ServiceContext, body: z.output<typeof wireTokenSchema>): Promise<void> {
  if (!body.model_limits?.trim() || body.model_limits_enabled !== undefined) return;
  const { modelLimitsEnabled } = await getToken(ctx, body.id, body.user_id);
  if (!modelLimitsEnabled) throw new AppError("invalid", "modelLimitsOff", { field: "model_limits" });
}

const listing = [
  route({
    method: "GET",
    path: "/",
    reads: true,
    access: "user",
    query: z.object(paging),
    // Pages count from 0 here (contract §13.2).
    handler: async ({ ctx, query }) => {
      const pageSize = query.size ?? query.page_size;
      const search = defined({ page: Math.max(query.p ?? 0, 0) + 1, pageSize });
      return withKeys(ctx, (await listTokens(ctx, search, query.user_id)).items);
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
      const page = Math.max(query.p ?? 0, 0) + 1;
      const found = await listTokens(ctx, { ...search, page, pageSize }, query.user_id);
      return withKeys(ctx, found.items);
    },
  }),
];

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = defineRoutes([
  ...listing,
  route({
    method: "GET",
    path: "/:id",
    access: "user",
    query: z.object(whose),
    handler: async ({ ctx, id, query }) => withKey(ctx, await getToken(ctx, id, query.user_id)),
  }),
  route({
    method: "POST",
    path: "/",
    access: "user",
    body: wireNewTokenSchema,
    row: tokenRow,
    makes: createTokenSchema,
    handler: async ({ ctx, body, note }) => {
      const { token, key } = await createToken(ctx, toCreateTokenInput(body), body.user_id);
      for (const { field, because } of tokenNotes(body, token)) note(field, because);
      return toWireToken(token, key);
    },
  }),
  route({
    method: "PUT",
    path: "/",
    access: "user",
    query: z.object({ status_only: textParam }),
    body: wireTokenSchema,
    row: tokenRow,
    makes: updateTokenSchema,
    handler: async ({ ctx, query, body, note }) => {
      const { id, status, user_id: userId } = body;
      if (query.status_only) {
        const row = await withKey(
          ctx,
          await setTokenStatus(ctx, parseInput(tokenStatusSchema, { id, status }), userId),
        );
        for (const field of fieldsBeside(STATUS_FIELDS, body, row)) note(field, "statusOnly");
        return row;
      }
      await assertModelsLimited(ctx, body);
      const token = await updateToken(ctx, toUpdateTokenInput(body), userId);
      for (const { field, because } of tokenNotes(body, token)) note(field, because);
      return withKey(ctx, token);
    },
  }),
  route({
    method: "POST",
    path: "/batch",
    access: "user",
    body: batchSchema,
    handler: ({ ctx, body: { ids, user_id: userId } }) => deleteTokens(ctx, { ids }, userId),
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
  route({
    method: "DELETE",
    path: "/:id",
    access: "user",
    query: z.object(whose),
    handler: ({ ctx, id, query }) => deleteToken(ctx, id, query.user_id),
  }),
]);
