"use server";

import { refresh } from "next/cache";
import { getLocale } from "next-intl/server";
import { z } from "zod";
import { applyToEach, ROW_CHANGES } from "@/components/data-table/apply-to-each";
import { action } from "@/lib/http/action";
import { errorMessage } from "@/lib/http/message";
import { LOCALES } from "@/lib/i18n/locale";
import { TOKEN_STATUS } from "@/lib/row-status";
import { createTokens as createAll } from "@/lib/token/batch-commands";
import {
  deleteToken as remove,
  revealToken as reveal,
  revealTokens as revealAll,
  rotateToken as rotate,
  setTokenStatus as setStatus,
  updateToken as update,
} from "@/lib/token/commands";
import { listTokenIds } from "@/lib/token/queries";
import {
  createTokensSchema,
  tokenIdsSchema,
  tokenSearchSchema,
  tokenStatusSchema,
  updateTokenSchema,
} from "@/lib/token/schemas";

const changeTokensSchema = tokenIdsSchema.extend({ change: z.enum(ROW_CHANGES) });
const idSchema = z.object({ id: z.number().int().positive() });

/** Returns the new tokens with their keys, and the error if it stopped before all were created. */
export const createTokens = action(createTokensSchema, async (ctx, input) => {
  const { made, failure } = await createAll(ctx, input);
  refresh();
  return {
    made: made.map(({ id, name, key }) => ({ id, name, key: `sk-${key}` })),
    failure: failure && errorMessage(failure, await locale()),
  };
});

export const updateToken = action(updateTokenSchema, async (ctx, input) => {
  await update(ctx, input);
  refresh();
});

export const setTokenStatus = action(tokenStatusSchema, async (ctx, input) => {
  await setStatus(ctx, input);
  refresh();
});

export const deleteToken = action(idSchema, async (ctx, { id }) => {
  await remove(ctx, id);
  refresh();
});

/** The keys that match the filters of the list. */
export const findTokens = action(tokenSearchSchema, (ctx, search) => listTokenIds(ctx, search));

/** Enables, disables or deletes keys. */
export const changeTokens = action(changeTokensSchema, async (ctx, { ids, change }) => {
  const outcome = await applyToEach(ids, (id) =>
    change === "delete"
      ? remove(ctx, id)
      : setStatus(ctx, { id, status: change === "enable" ? TOKEN_STATUS.enabled : TOKEN_STATUS.disabled }),
  );
  refresh();
  return outcome;
});

export const revealToken = action(idSchema, async (ctx, { id }) => `sk-${await reveal(ctx, id)}`);

export const revealTokens = action(tokenIdsSchema, async (ctx, input) => {
  return (await revealAll(ctx, input)).map(({ name, key }) => ({ name, key: `sk-${key}` }));
});

export const rotateToken = action(idSchema, async (ctx, { id }) => {
  const { token, key } = await rotate(ctx, id);
  refresh();
  return { name: token.name, key: `sk-${key}` };
});

async function locale() {
  const current = await getLocale();
  return LOCALES.find((known) => known === current) ?? LOCALES[0];
}
