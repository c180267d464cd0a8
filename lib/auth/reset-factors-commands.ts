import { and, eq, isNull } from "drizzle-orm";
import { passkeys, totpFactors, users } from "@/db/schema";
import { writeAudit } from "@/lib/audit/commands";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { requireRecentProof } from "@/lib/proof";
import { tellFactorChange } from "./tell-factor-change";

/**
 * Removes authenticator and passkeys of an account whose owner has lost them. Administrators only, within the limits of
 * rank (contract §9.6). Returns the number of removed passkeys.
 */
export async function resetFactors(ctx: ServiceContext, input: { id: number }): Promise<number> {
  const actor = requireRole(ctx, ROLE.admin);
  requireRecentProof(ctx);
  return ctx.db.transaction(async (tx) => {
    const [target] = await tx
      .select({ role: users.role })
      .from(users)
      .where(and(eq(users.id, input.id), isNull(users.deletedAt)))
      .for("update");
    if (!target) throw new AppError("not_found", "userNotFound");
    if (actor.role !== ROLE.root && target.role >= actor.role) throw new AppError("forbidden", "userLevelTooHigh");
    const totp = await tx
      .delete(totpFactors)
      .where(eq(totpFactors.userId, input.id))
      .returning({ userId: totpFactors.userId });
    const keys = await tx.delete(passkeys).where(eq(passkeys.userId, input.id)).returning({ name: passkeys.name });
    await writeAudit(tx, ctx, {
      action: "user.factors-reset",
      subject: `user:${input.id}`,
      before: { totp: totp.length > 0, passkeys: keys.map(({ name }) => name) },
    });
    if (totp.length + keys.length > 0) await tellFactorChange(tx, ctx, input.id);
    return keys.length;
  });
}
