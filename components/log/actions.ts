"use server";

import { z } from "zod";
import { ROLE, requireRole } from "@/lib/context";
import { action } from "@/lib/http/action";
import { findRequest } from "@/lib/usage-log/request-queries";
import { getSelf, getUser } from "@/lib/user/queries";

const userSchema = z.object({ id: z.number().int().positive() });

/** The user of a log row, for administrators. Returns only these figures of other users (B100, B210). */
export const findLogUser = action(userSchema, async (ctx, input) => {
  const actor = requireRole(ctx, ROLE.admin);
  const { id, username, quota, usedQuota, requestCount } =
    input.id === actor.id ? await getSelf(ctx) : await getUser(ctx, input.id);
  return { id, username, quota, usedQuota, requestCount };
});

/** What is known of the request whose id is in a text; own requests only, for administrators all. */
export const findFailedRequest = action(z.object({ text: z.string().max(5_000) }), (ctx, { text }) =>
  findRequest(ctx, text),
);
