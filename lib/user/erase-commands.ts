import { eq, sql } from "drizzle-orm";
import type { Database } from "@/db/client";
import {
  alertRules,
  captures,
  idempotencyKeys,
  knownPlaces,
  monthStatements,
  notifications,
  notificationTargets,
  passkeys,
  sessions,
  tokens,
  totpFactors,
  upstreamObjects,
  users,
} from "@/db/schema";
import { writeAudit } from "@/lib/audit/commands";
import { endAccess } from "@/lib/auth/session-commands";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { askToEraseNames, eraseAuditedNames, eraseLoggedNames } from "./erase-names-commands";

/**
 * Deletes an account permanently (contract §1.7), also a deregistered one: removes keys, sessions, factors and all
 * personal data, so that name and addresses are free again. Only the row's id remains, for the ledger. Throws forbidden
 * for root or an account of the same or a higher role, not_found for an unknown or already erased account.
 */
export async function eraseUser(ctx: ServiceContext, id: number): Promise<void> {
  const actor = requireRole(ctx, ROLE.admin);
  await ctx.db.transaction(async (tx) => {
    const [before] = await tx
      .select({ username: users.username, role: users.role })
      .from(users)
      .where(eq(users.id, id))
      .for("update");
    if (!before || before.username === erasedName(id)) throw new AppError("not_found", "userNotFound");
    if (before.role === ROLE.root) throw new AppError("forbidden", "rootNotDeletableByAdmin");
    if (before.role >= actor.role) throw new AppError("forbidden", "userDeleteLevel");
    await wipe(tx, id);
    await removeBelongings(tx, id);
    // The job does the rest: all of it could take minutes, in which nothing else could be booked for the account.
    await eraseLoggedNames(tx, { userId: id, erased: erasedName(id) }, 1);
    await eraseAuditedNames(tx, id);
    await askToEraseNames(tx, id);
    await writeAudit(tx, ctx, { action: "user.erase", subject: `user:${id}`, before: { role: before.role } });
  });
}

/** A name that nobody can choose: new names cannot contain "@". */
function erasedName(id: number): string {
  return `deleted@${id}`;
}

async function wipe(tx: Database, id: number): Promise<void> {
  await tx
    .update(users)
    .set({
      username: erasedName(id),
      displayName: "",
      passwordHash: null,
      email: null,
      githubId: null,
      oidcId: null,
      oidcIssuer: "",
      githubServer: "",
      wechatServer: "",
      linuxDoServer: "",
      wechatId: null,
      telegramId: null,
      linuxDoId: null,
      affCode: null,
      setting: {},
      deletedAt: sql`coalesce(${users.deletedAt}, now())`,
    })
    .where(eq(users.id, id));
  await endAccess(tx, id);
}

async function removeBelongings(tx: Database, id: number): Promise<void> {
  // What was issued stays, as the ledger does, but for whose it is.
  const nobody = { username: erasedName(id), displayName: "", email: "" };
  await tx.update(monthStatements).set(nobody).where(eq(monthStatements.userId, id));
  await tx.update(tokens).set({ deletedAt: sql`now()` }).where(eq(tokens.userId, id));
  const tables = [
    sessions,
    totpFactors,
    passkeys,
    knownPlaces,
    alertRules,
    captures,
    notifications,
    notificationTargets,
    idempotencyKeys,
    upstreamObjects,
  ];
  for (const table of tables) {
    await tx.delete(table).where(eq(table.userId, id));
  }
}
