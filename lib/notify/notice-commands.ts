import { and, eq, inArray, isNull, sql } from "drizzle-orm";
import type { z } from "zod";
import { notifications, users } from "@/db/schema";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { parseInput } from "@/lib/validation";
import { fingerprintSchema, markReadSchema } from "./schemas";

/** Marks the given messages of the current user as read, or all with null. Other users' messages are not affected. */
export async function markNoticesRead(ctx: ServiceContext, input: z.input<typeof markReadSchema>): Promise<void> {
  const actor = requireRole(ctx, ROLE.user);
  const { ids } = parseInput(markReadSchema, input);
  if (ids?.length === 0) return;
  const unread = and(eq(notifications.userId, actor.id), isNull(notifications.readAt));
  await ctx.db
    .update(notifications)
    .set({ readAt: sql`floor(extract(epoch from now()))::bigint` })
    .where(ids === null ? unread : and(unread, inArray(notifications.id, ids)));
}

/** Records that the current user has seen the announcement with this fingerprint, so that each content is shown once. */
export async function markAnnouncementSeen(ctx: ServiceContext, fingerprint: string): Promise<void> {
  const actor = requireRole(ctx, ROLE.user);
  const seen = { announcement_seen: parseInput(fingerprintSchema, fingerprint) };
  const setting = sql`${users.setting} || ${JSON.stringify(seen)}::jsonb`;
  await ctx.db.update(users).set({ setting }).where(eq(users.id, actor.id));
}
