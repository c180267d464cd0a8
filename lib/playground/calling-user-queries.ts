import { eq, sql } from "drizzle-orm";
import { users } from "@/db/schema";
import { ROLE, requireRole, type ServiceContext, type UserActor } from "@/lib/context";
import { AppError } from "@/lib/errors";
import type { UserRow } from "@/lib/snapshot/queries";

/** Throws unauthenticated, and forbidden for a system access token: the relay in the console is for people. */
export function requireSession(ctx: ServiceContext): UserActor {
  const actor = requireRole(ctx, ROLE.user);
  if (actor.via !== "session") throw new AppError("forbidden", "sessionRequired");
  return actor;
}

/** A user as the relay knows its callers. Throws not_found. */
export async function readCallingUser(ctx: ServiceContext, id: number): Promise<UserRow> {
  const [row] = await ctx.db
    .select({
      id: users.id,
      username: users.username,
      role: users.role,
      status: users.status,
      group: users.group,
      concurrencyLimit: users.concurrencyLimit,
      requestsPerMinute: users.requestsPerMinute,
      tokensPerMinute: users.tokensPerMinute,
      budgetDay: users.budgetDay,
      budgetWeek: users.budgetWeek,
      budgetMonth: users.budgetMonth,
      acceptsUnpriced: sql<boolean>`${users.setting} -> 'accept_unset_model_ratio_model' = 'true'::jsonb is true`,
    })
    .from(users)
    .where(eq(users.id, id));
  if (!row) throw new AppError("not_found", "userNotFound");
  return row;
}
