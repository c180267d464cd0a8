import { randomBytes } from "node:crypto";
import { eq, sql } from "drizzle-orm";
import type { Database } from "@/db/client";
import { users } from "@/db/schema";
import { writeAudit } from "@/lib/audit/commands";
import { endAccess } from "@/lib/auth/session-commands";
import { countAttempt, forgiveAttempt } from "@/lib/auth/throttle";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { hashPassword, sha256Hex, verifyPassword } from "@/lib/crypto";
import { AppError } from "@/lib/errors";
import { tellPasswordChange } from "@/lib/notify/account-commands";
import { requireProofOfSession } from "@/lib/proof";
import { refuseChanged } from "@/lib/seen";
import { parseInput } from "@/lib/validation";
import { assertUsernameFree, lockUser, newNames, renaming } from "./change-commands";
import { getSelf } from "./queries";
import { type UpdateSelfInput, updateSelfSchema } from "./schemas";

/** Replaces the system access token; the new one is shown only once. A session needs a recent proof. */
export async function createAccessToken(ctx: ServiceContext): Promise<string> {
  const actor = requireRole(ctx, ROLE.user);
  requireProofOfSession(ctx);
  const token = randomBytes(24).toString("base64url");
  await ctx.db.transaction(async (tx) => {
    await tx
      .update(users)
      .set({ accessTokenHash: sha256Hex(token) })
      .where(eq(users.id, actor.id));
    await writeAudit(tx, ctx, { action: "user.access-token", subject: `user:${actor.id}` });
  });
  return token;
}

/**
 * Changes only names and password of the current user's account. A request has the profile fields or only {password}
 * (A173, A176), by session or system access token (B005). A new password ends every session, this one too, and the
 * access token, and notifies the owner. A session needs the current password or a recent proof for a new password or user
 * name. A given current password is always checked.
 */
export async function updateSelf(ctx: ServiceContext, input: UpdateSelfInput): Promise<{ passwordChanged: boolean }> {
  const actor = requireRole(ctx, ROLE.user);
  const { password, originalPassword, seen, ...given } = parseInput(updateSelfSchema, input);
  const names = newNames(await getSelf(ctx), given);
  if (originalPassword !== undefined) await assertOriginal(ctx, actor.id, originalPassword);
  else if (password !== undefined || names.username !== undefined) requireProofOfSession(ctx);
  const passwordHash = password === undefined ? undefined : await hashPassword(password);
  if (passwordHash === undefined && Object.keys(names).length === 0) return { passwordChanged: false };
  await renaming(() =>
    ctx.db.transaction(async (tx) => {
      const before = await lockUser(tx, actor.id);
      refuseChanged(before, names, seen);
      if (names.username !== undefined) await assertUsernameFree(tx, names.username, actor.id);
      await tx
        .update(users)
        .set({ ...names, ...(passwordHash === undefined ? {} : { passwordHash, initialPassword: 0 }) })
        .where(eq(users.id, actor.id));
      if (passwordHash !== undefined) {
        await endAccess(tx, actor.id);
        await tellPasswordChange(tx, ctx, actor.id);
      }
      await writeAudit(tx, ctx, {
        action: "user.update-self",
        subject: `user:${actor.id}`,
        before: { username: before.username, displayName: before.displayName },
        after: { ...names, ...(passwordHash === undefined ? {} : { password: "changed" }) },
      });
    }),
  );
  return { passwordChanged: passwordHash !== undefined };
}

/** Deletes the current user's account; the row is kept for the ledger. Refused for root. A session needs a recent proof. */
export async function deleteSelf(ctx: ServiceContext): Promise<void> {
  const actor = requireRole(ctx, ROLE.user);
  requireProofOfSession(ctx);
  await ctx.db.transaction(async (tx) => {
    const before = await lockUser(tx, actor.id);
    if (before.role === ROLE.root) throw new AppError("forbidden", "rootNotDeletable");
    await markDeleted(tx, actor.id);
    await writeAudit(tx, ctx, { action: "user.delete-self", subject: `user:${actor.id}` });
  });
}

async function markDeleted(tx: Database, id: number): Promise<void> {
  await tx.update(users).set({ deletedAt: sql`now()` }).where(eq(users.id, id));
  await endAccess(tx, id);
}

/** Attempts count with those at sign-in, so that a stolen session cannot bypass that limit. */
async function assertOriginal(ctx: ServiceContext, id: number, password: string): Promise<void> {
  const attempt = { subject: `id:${id}`, userId: id, clientIp: ctx.clientIp };
  await countAttempt(ctx.db, attempt);
  const [row] = await ctx.db.select({ passwordHash: users.passwordHash }).from(users).where(eq(users.id, id));
  if (!(await verifyPassword(password, row?.passwordHash ?? null))) {
    throw new AppError("invalid", "originalPasswordWrong", { field: "originalPassword" });
  }
  await forgiveAttempt(ctx.db, attempt);
}
