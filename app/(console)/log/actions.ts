"use server";

import { refresh } from "next/cache";
import { z } from "zod";
import { ROLE, requireRole } from "@/lib/context";
import { action } from "@/lib/http/action";
import { deleteView as remove, renameView as rename, saveView as save } from "@/lib/usage-log/view-commands";
import { renameViewSchema, saveViewSchema, viewIdSchema } from "@/lib/usage-log/view-schemas";
import { getSelf, getUser } from "@/lib/user/queries";

const userSchema = z.object({ id: z.number().int().positive() });

/** The user of a log row, for administrators. Returns only these figures of other users (B100, B210). */
export const findLogUser = action(userSchema, async (ctx, input) => {
  const actor = requireRole(ctx, ROLE.admin);
  const { id, username, quota, usedQuota, requestCount } =
    input.id === actor.id ? await getSelf(ctx) : await getUser(ctx, input.id);
  return { id, username, quota, usedQuota, requestCount };
});

export const saveView = action(saveViewSchema, async (ctx, input) => {
  const { id } = await save(ctx, input);
  refresh();
  return { id };
});

export const renameView = action(renameViewSchema, async (ctx, input) => {
  await rename(ctx, input);
  refresh();
});

export const deleteView = action(viewIdSchema, async (ctx, { id }) => {
  await remove(ctx, id);
  refresh();
});
