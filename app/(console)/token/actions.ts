"use server";

import { refresh } from "next/cache";
import { z } from "zod";
import { requireRecentProof } from "@/lib/auth/step-up";
import { action } from "@/lib/http/action";
import {
  createToken as create,
  deleteToken as remove,
  revealToken as reveal,
  setTokenStatus as setStatus,
  updateToken as update,
} from "@/lib/token/commands";
import { createTokenSchema, tokenStatusSchema, updateTokenSchema } from "@/lib/token/schemas";

const idSchema = z.object({ id: z.number().int().positive() });

export const createToken = action(createTokenSchema, async (ctx, input) => {
  const { key } = await create(ctx, input);
  refresh();
  return { key: `sk-${key}` };
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

/** Here a borrowed browser is asked who it is; the wire's own call stays as the contract has it. */
export const revealToken = action(idSchema, async (ctx, { id }) => {
  requireRecentProof(ctx);
  return `sk-${await reveal(ctx, id)}`;
});
