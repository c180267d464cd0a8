import { eq, sql } from "drizzle-orm";
import { users } from "@/db/schema";
import { nowSeconds } from "@/lib/clock";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { parseInput } from "@/lib/validation";
import { OWN_WINDOW_SECONDS, type UsageWindow, usageWindowSchema, WINDOW_SECONDS_MAX } from "./schemas";
import { everybodysHours, hoursOfUser, readSummed } from "./sums-queries";
import type { HourlyUsage } from "./types";
import { readEdges, windowEdges } from "./window-edges";

/**
 * Consumption by model and hour, oldest first, from the hourly sums that are booked with every charge, so always
 * current. "own" is the current user's, at most 30 days at a time; "all" is for administrators. Throws invalid for a
 * longer window.
 */
export async function listHourlyUsage(ctx: ServiceContext, input: UsageWindow): Promise<HourlyUsage[]> {
  const { scope, from, until, username } = parseInput(usageWindowSchema, input);
  const actor = requireRole(ctx, scope === "all" ? ROLE.admin : ROLE.user);
  const longest = scope === "all" ? WINDOW_SECONDS_MAX : OWN_WINDOW_SECONDS;
  if (until - from > longest) throw new AppError("invalid", "timeRangeTooLong", { days: Math.floor(longest / 86_400) });
  const owner = scope === "own" ? actor.id : await findUserId(ctx, username);
  if (owner === null) return [];
  const summed = await readSummed(ctx.sql);
  // The time of an hour's sum is the hour's first second, so a window that ends then has the whole hour (contract §1.12).
  const edges = windowEdges(from, until % 3_600 === 0 ? until + 3_600 : until + 1, nowSeconds());
  const hours =
    owner === undefined
      ? everybodysHours(ctx.sql, edges.from, edges.until, summed)
      : hoursOfUser(ctx.sql, owner, edges.from, edges.until, summed);
  const { cut } = await readEdges(ctx.sql, edges, owner, ["model_name"]);
  const rows = cut
    ? ctx.sql`
        select model_name, hour, count, quota, tokens from (${hours}) whole
        union all
        select model_name, hour - hour % 3600, count, quota, prompt_tokens + completion_tokens from ${cut}
        where count <> 0 or quota <> 0`
    : hours;
  return ctx.sql<HourlyUsage[]>`
    select model_name as "modelName", hour, sum(count)::bigint as count, sum(quota)::bigint as quota,
      sum(tokens)::bigint as tokens
    from (${rows}) parts group by model_name, hour having sum(count) <> 0 or sum(quota) <> 0
    order by hour, model_name`;
}

/** Returns undefined for all users, null when no user has that name. */
export async function findUserId(
  ctx: ServiceContext,
  username: string | undefined,
): Promise<number | null | undefined> {
  if (username === undefined || username === "") return undefined;
  const [row] = await ctx.db
    .select({ id: users.id })
    .from(users)
    .where(eq(sql`lower(${users.username})`, username.toLowerCase()));
  return row?.id ?? null;
}
