import { and, eq, isNull, sql } from "drizzle-orm";
import type { Database } from "@/db/client";
import { users } from "@/db/schema";
import { writeAudit } from "@/lib/audit/commands";
import { resetFactors } from "@/lib/auth/reset-factors-commands";
import { endAccess } from "@/lib/auth/session-commands";
import { ROLE, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { USER_STATUS } from "@/lib/row-status";
import { lockUser } from "./change-commands";

// What an operator does on the machine itself when nobody can sign in any more. No page and no API call may do it.

function requireCommandLine(ctx: ServiceContext): void {
  if (ctx.actor.type !== "command-line") throw new AppError("forbidden", "commandLineOnly");
}

export type RescueTarget = { id: number; username: string; role: number; status: number };

/** The account of a user name, or of `#` and an id. Throws not_found, also for a deleted one. */
export async function getRescueTarget(ctx: ServiceContext, name: string): Promise<RescueTarget> {
  requireCommandLine(ctx);
  const id = /^#([1-9]\d{0,8})$/.exec(name)?.[1];
  const wanted = id === undefined ? eq(sql`lower(${users.username})`, name.toLowerCase()) : eq(users.id, Number(id));
  const [row] = await ctx.db
    .select({ id: users.id, username: users.username, role: users.role, status: users.status })
    .from(users)
    .where(and(wanted, isNull(users.deletedAt)));
  if (!row) throw new AppError("not_found", "userNotFound");
  return row;
}

/** Makes an account super administrator. Its sessions end. Throws conflict when it is one. */
export async function makeRoot(ctx: ServiceContext, id: number): Promise<void> {
  requireCommandLine(ctx);
  await ctx.db.transaction(async (tx) => {
    const { role } = await lockUser(tx, id);
    if (role === ROLE.root) throw new AppError("conflict", "alreadyRoot");
    await changeRole(tx, ctx, { id, action: "user.make-root", before: role, after: ROLE.root });
  });
}

/**
 * Makes a super administrator an ordinary user. Its sessions end. Throws conflict when it is none, forbidden when no
 * other one could sign in.
 */
export async function unmakeRoot(ctx: ServiceContext, id: number): Promise<void> {
  requireCommandLine(ctx);
  await ctx.db.transaction(async (tx) => {
    // All of them, so that of two commands at once one sees what the other did.
    const roots = await tx
      .select({ id: users.id, status: users.status })
      .from(users)
      .where(and(eq(users.role, ROLE.root), isNull(users.deletedAt)))
      .orderBy(users.id)
      .for("update");
    if (!roots.some((root) => root.id === id)) throw new AppError("conflict", "notRoot");
    const others = roots.filter((root) => root.id !== id && root.status === USER_STATUS.enabled);
    if (others.length === 0) throw new AppError("forbidden", "lastRoot");
    await changeRole(tx, ctx, { id, action: "user.unmake-root", before: ROLE.root, after: ROLE.user });
  });
}

type RoleChange = { id: number; action: "user.make-root" | "user.unmake-root"; before: number; after: number };

async function changeRole(tx: Database, ctx: ServiceContext, { id, action, before, after }: RoleChange) {
  await tx.update(users).set({ role: after }).where(eq(users.id, id));
  await endAccess(tx, id);
  await writeAudit(tx, ctx, { action, subject: `user:${id}`, before: { role: before }, after: { role: after } });
}

/** Removes authenticator and passkeys and ends all sessions. Returns the number of removed passkeys. */
export async function disableFactors(ctx: ServiceContext, id: number): Promise<number> {
  requireCommandLine(ctx);
  return ctx.db.transaction(async (tx) => {
    const removed = await resetFactors({ ...ctx, db: tx }, { id });
    await endAccess(tx, id);
    return removed;
  });
}
