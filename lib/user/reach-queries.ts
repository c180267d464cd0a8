import { eq } from "drizzle-orm";
import { users } from "@/db/schema";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";

/**
 * For every reading that a client addresses by an account: one's own, as an administrator those of lower roles, as root
 * all. Throws forbidden. An account that is gone keeps its role.
 */
export async function requireReach(ctx: ServiceContext, userId: number): Promise<void> {
  const actor = requireRole(ctx, ROLE.user);
  if (userId === actor.id || actor.role >= ROLE.root) return;
  requireRole(ctx, ROLE.admin);
  const [row] = await ctx.db.select({ role: users.role }).from(users).where(eq(users.id, userId));
  if (row && row.role >= actor.role) throw new AppError("forbidden", "userReadLevel");
}
