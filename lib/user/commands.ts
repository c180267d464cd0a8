import { randomBytes } from "node:crypto";
import { and, eq, isNull, sql } from "drizzle-orm";
import type { Database } from "@/db/client";
import { users } from "@/db/schema";
import { writeAudit } from "@/lib/audit/commands";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { hashPassword, sha256Hex, verifyPassword } from "@/lib/crypto";
import { AppError } from "@/lib/errors";
import { parseInput } from "@/lib/validation";
import { userFields } from "./queries";
import { type ManageUserInput, manageUserSchema, type UpdateSelfInput, updateSelfSchema } from "./schemas";
import { USER_STATUS, type User } from "./types";

const nextSessionVersion = sql`${users.sessionVersion} + 1`;

/** Makes a new system access token in place of the old one; it is shown this once only. */
export async function createAccessToken(ctx: ServiceContext): Promise<string> {
  const actor = requireRole(ctx, ROLE.user);
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
 * Changes the caller's own account. A new password ends every session, this one too: the caller signs in anew (or is
 * given a new cookie by the transport).
 */
export async function updateSelf(ctx: ServiceContext, input: UpdateSelfInput): Promise<{ passwordChanged: boolean }> {
  const actor = requireRole(ctx, ROLE.user);
  const { password, originalPassword, username, displayName } = parseInput(updateSelfSchema, input);
  if (originalPassword !== undefined) await assertPassword(ctx.db, actor.id, originalPassword);
  const changes = {
    ...(username === undefined ? {} : { username }),
    ...(displayName === undefined ? {} : { displayName }),
    ...(password === undefined
      ? {}
      : { passwordHash: await hashPassword(password), initialPassword: 0, sessionVersion: nextSessionVersion }),
  };
  if (Object.keys(changes).length === 0) return { passwordChanged: false };
  await ctx.db.transaction(async (tx) => {
    if (username !== undefined) await assertUsernameFree(tx, username, actor.id);
    await tx.update(users).set(changes).where(eq(users.id, actor.id));
    await writeAudit(tx, ctx, {
      action: "user.update-self",
      subject: `user:${actor.id}`,
      after: { username, displayName, password: password === undefined ? undefined : "changed" },
    });
  });
  return { passwordChanged: password !== undefined };
}

/** Deletes the caller's own account (kept as a row for the books). Root is refused. */
export async function deleteSelf(ctx: ServiceContext): Promise<void> {
  const actor = requireRole(ctx, ROLE.user);
  if (actor.role === ROLE.root) throw new AppError("forbidden", "rootNotDeletable");
  await ctx.db.transaction(async (tx) => {
    await tx
      .update(users)
      .set({ deletedAt: sql`now()`, sessionVersion: nextSessionVersion, accessTokenHash: null })
      .where(eq(users.id, actor.id));
    await writeAudit(tx, ctx, { action: "user.delete-self", subject: `user:${actor.id}` });
  });
}

/** Bans, admits, deletes, promotes or demotes an account, within the limits of contract §9.6. Ends its sessions. */
export async function manageUser(ctx: ServiceContext, input: ManageUserInput): Promise<User> {
  const actor = requireRole(ctx, ROLE.admin);
  const { id, action } = parseInput(manageUserSchema, input);
  return ctx.db.transaction(async (tx) => {
    const before = await lockUser(tx, id);
    if (actor.role !== ROLE.root && before.role >= actor.role) throw new AppError("forbidden", "userLevelTooHigh");
    const [row] = await tx
      .update(users)
      .set({ ...managedChange(action, before, actor.role), sessionVersion: nextSessionVersion })
      .where(eq(users.id, id))
      .returning(userFields);
    if (!row) throw new AppError("not_found", "userNotFound");
    const state = ({ role, status, deletedAt }: User) => ({ role, status, deletedAt });
    await writeAudit(tx, ctx, {
      action: `user.${action}`,
      subject: `user:${id}`,
      before: state(before),
      after: state(row),
    });
    return row;
  });
}

function managedChange(action: string, target: User, actorRole: number) {
  if (target.role === ROLE.root && action !== "enable") throw new AppError("forbidden", "rootUntouchable");
  switch (action) {
    case "disable":
      return { status: USER_STATUS.disabled };
    case "enable":
      return { status: USER_STATUS.enabled };
    case "delete":
      return { deletedAt: sql`now()`, accessTokenHash: null };
    case "promote":
      if (actorRole !== ROLE.root) throw new AppError("forbidden", "promoteNotAllowed");
      if (target.role >= ROLE.admin) throw new AppError("conflict", "alreadyAdmin");
      return { role: ROLE.admin };
    default:
      if (target.role === ROLE.user) throw new AppError("conflict", "alreadyUser");
      return { role: ROLE.user };
  }
}

async function lockUser(tx: Database, id: number): Promise<User> {
  const [row] = await tx
    .select(userFields)
    .from(users)
    .where(and(eq(users.id, id), isNull(users.deletedAt)))
    .for("update");
  if (!row) throw new AppError("not_found", "userNotFound");
  return row;
}

async function assertPassword(db: Database, id: number, password: string): Promise<void> {
  const [row] = await db.select({ passwordHash: users.passwordHash }).from(users).where(eq(users.id, id));
  if (!(await verifyPassword(password, row?.passwordHash ?? null))) {
    throw new AppError("invalid", "originalPasswordWrong");
  }
}

async function assertUsernameFree(tx: Database, username: string, ownId: number): Promise<void> {
  const [taken] = await tx
    .select({ id: users.id })
    .from(users)
    .where(and(eq(sql`lower(${users.username})`, username.toLowerCase()), sql`${users.id} <> ${ownId}`));
  if (taken) throw new AppError("conflict", "usernameTaken");
}
