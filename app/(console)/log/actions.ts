"use server";

import { z } from "zod";
import { ROLE, requireRole } from "@/lib/context";
import { action } from "@/lib/http/action";
import { getSelf, getUser } from "@/lib/user/queries";

const userSchema = z.object({ id: z.number().int().positive() });

/** The user of a log row, for administrators. Returns only these figures of other users (B100, B210). */
export const findLogUser = action(userSchema, async (ctx, input) => {
  const actor = requireRole(ctx, ROLE.admin);
  const { id, username, quota, usedQuota, requestCount } =
    input.id === actor.id ? await getSelf(ctx) : await getUser(ctx, input.id);
  return { id, username, quota, usedQuota, requestCount };
});
