import { writeAudit } from "@/lib/audit/commands";
import { endAccess } from "@/lib/auth/session-commands";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { lockUser } from "./change-commands";

/**
 * Ends all sessions and the access token of an account that may be compromised (administrators). Throws forbidden for an account of the same
 * or a higher role unless the user is root, not_found.
 */
export async function endUserSessions(ctx: ServiceContext, id: number): Promise<void> {
  const actor = requireRole(ctx, ROLE.admin);
  await ctx.db.transaction(async (tx) => {
    const user = await lockUser(tx, id);
    if (actor.role !== ROLE.root && user.role >= actor.role) throw new AppError("forbidden", "userUpdateLevel");
    await endAccess(tx, id);
    await writeAudit(tx, ctx, { action: "user.end-sessions", subject: `user:${id}` });
  });
}
