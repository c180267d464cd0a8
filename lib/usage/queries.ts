import { and, asc, eq, gte, lte, type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import { usageHourly, users } from "@/db/schema";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { parseInput } from "@/lib/validation";
import { OWN_WINDOW_SECONDS, type UsageWindow, usageWindowSchema, WINDOW_SECONDS_MAX } from "./schemas";
import type { HourlyUsage } from "./types";

/**
 * Consumption by model and hour, oldest first, from the hourly sums that are booked with every charge (never behind it).
 * "own" is the caller's, at most 30 days at a time; "all" is for administrators. Throws invalid for a longer window.
 */
export async function listHourlyUsage(ctx: ServiceContext, input: UsageWindow): Promise<HourlyUsage[]> {
  const { scope, from, until, username } = parseInput(usageWindowSchema, input);
  const actor = requireRole(ctx, scope === "all" ? ROLE.admin : ROLE.user);
  const longest = scope === "all" ? WINDOW_SECONDS_MAX : OWN_WINDOW_SECONDS;
  if (until - from > longest) throw new AppError("invalid", "timeRangeTooLong", { days: Math.floor(longest / 86_400) });
  const owner = scope === "own" ? actor.id : await findUserId(ctx, username);
  if (owner === null) return [];
  return ctx.db
    .select({
      modelName: usageHourly.modelName,
      hour: usageHourly.hour,
      count: total(usageHourly.count),
      quota: total(usageHourly.quota),
      tokens: total(sql`${usageHourly.promptTokens} + ${usageHourly.completionTokens}`),
    })
    .from(usageHourly)
    .where(
      and(
        gte(usageHourly.hour, from - (from % 3_600)),
        lte(usageHourly.hour, until),
        owner === undefined ? undefined : eq(usageHourly.userId, owner),
      ),
    )
    .groupBy(usageHourly.modelName, usageHourly.hour)
    .orderBy(asc(usageHourly.hour), asc(usageHourly.modelName));
}

function total(column: SQL | AnyPgColumn): SQL<number> {
  return sql`sum(${column})::bigint`.mapWith(Number);
}

/** undefined = everybody; null = nobody of that name. */
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
