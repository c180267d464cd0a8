import { eq, sql } from "drizzle-orm";
import type { Database } from "@/db/client";
import { users } from "@/db/schema";
import { writeAudit } from "@/lib/audit/commands";
import { endAccess } from "@/lib/auth/session-commands";
import { amountSavedBefore } from "@/lib/billing/amount-change-commands";
import { findPosted, postLedgerEntry } from "@/lib/billing/ledger";
import { meantChange } from "@/lib/billing/meant-change";
import { withRefunds } from "@/lib/billing/refund-queries";
import { ROLE, requireRole, type ServiceContext, type UserActor } from "@/lib/context";
import { hashPassword } from "@/lib/crypto";
import { AppError } from "@/lib/errors";
import { tellCredit, tellPasswordChange } from "@/lib/notify/account-commands";
import { loadOptions } from "@/lib/option/queries";
import { requireProofOfSession } from "@/lib/proof";
import { LOG_TYPE, USER_STATUS } from "@/lib/row-status";
import { refuseChanged, seenAmount } from "@/lib/seen";
import { writeLogEvent } from "@/lib/usage-log/event-commands";
import { parseInput } from "@/lib/validation";
import { assertUsernameFree, lockUser, newNames, renaming } from "./change-commands";
import { createAccount } from "./create-account-commands";
import { userFields } from "./queries";
import {
  type CreateUserInput,
  createUserSchema,
  type ManageUserInput,
  manageUserSchema,
  QUOTA_MAX,
  type UpdateUserInput,
  updateUserSchema,
} from "./schemas";
import type { User } from "./types";

/**
 * Creates an ordinary account with its group, balance and limits (contract §1.7). Throws forbidden for a role that the
 * administrator may not assign, invalid for an unknown group.
 */
export async function createUser(ctx: ServiceContext, input: CreateUserInput): Promise<User> {
  const actor = requireRole(ctx, ROLE.admin);
  const given = parseInput(createUserSchema, input);
  const { username, password, displayName, role, group, quota } = given;
  if (role >= actor.role) throw new AppError("forbidden", "userCreateLevel");
  if (role > ROLE.user) throw new AppError("invalid", "roleByManage", { field: "role" });
  const passwordHash = await hashPassword(password);
  const account = { username, displayName, passwordHash, method: "administrator" };
  return ctx.db.transaction(async (tx) => {
    const { id } = await createAccount(tx, ctx, account);
    const before = await lockUser(tx, id);
    const named = group === "" ? undefined : await newGroup(tx, before, group);
    const set = Object.fromEntries(Object.entries(limitChanges(given)).filter(([, limit]) => limit > 0));
    const changes = { ...(named === undefined ? {} : { group: named }), ...set };
    if (Object.keys(changes).length > 0) await tx.update(users).set(changes).where(eq(users.id, id));
    const change = await setBalance(tx, actor, before, { quota });
    if (change !== 0 || Object.keys(changes).length > 0) {
      const balance = change === 0 ? {} : { quota: before.quota + change };
      const after = { ...changes, ...balance };
      await writeAudit(tx, ctx, {
        action: "user.update",
        subject: `user:${id}`,
        before: pick(before, Object.keys(after)),
        after,
      });
    }
    return readUser(tx, id);
  });
}

/**
 * Changes names, group, balance, limits and password of an account with a lower role (root: of any account).
 * Does not change role and status. A balance change is booked as an adjustment and logged (B324). Throws forbidden,
 * not_found, conflict for a taken name or a field that somebody else has changed, invalid; nothing is changed then. Needs a proof for what signs in as somebody.
 */
export async function updateUser(ctx: ServiceContext, input: UpdateUserInput): Promise<User> {
  const actor = requireRole(ctx, ROLE.admin);
  const given = parseInput(updateUserSchema, input);
  if (given.password !== undefined) requireProofOfSession(ctx);
  const passwordHash = given.password === undefined ? undefined : await hashPassword(given.password);
  return renaming(() =>
    ctx.db.transaction(async (tx) => {
      const before = await lockUser(tx, given.id);
      if (isOutOfReach(actor, before)) throw new AppError("forbidden", "userUpdateLevel");
      if (actor.role !== ROLE.root && given.role !== undefined && given.role >= actor.role) {
        throw new AppError("forbidden", "userRaiseLevel");
      }
      if (given.role !== undefined && given.role !== before.role) {
        throw new AppError("invalid", "roleByManage", { field: "role" });
      }
      const { quota: _balance, ...compared } = given;
      refuseChanged(before, compared, given.seen);
      const names = newNames(before, given);
      if (names.username !== undefined) {
        requireProofOfSession(ctx);
        await assertUsernameFree(tx, names.username, given.id);
      }
      const group = await newGroup(tx, before, given.group);
      const changes = {
        ...names,
        ...(group === undefined ? {} : { group }),
        ...limitChanges(given),
      };
      const password = passwordHash === undefined ? {} : { passwordHash, initialPassword: 0 };
      // Always one update: setting the name to itself changes nothing and notifies nobody.
      const own = { username: before.username, ...changes, ...password };
      await tx.update(users).set(own).where(eq(users.id, given.id));
      if (passwordHash !== undefined) {
        await endAccess(tx, given.id);
        await tellPasswordChange(tx, ctx, given.id);
      }
      const change = await setBalance(tx, actor, before, given);
      await writeAudit(tx, ctx, {
        action: "user.update",
        subject: `user:${given.id}`,
        before: pick(before, [...Object.keys(changes), ...(change === 0 ? [] : ["quota"])]),
        after: {
          ...changes,
          ...(change === 0 ? {} : { quota: before.quota + change }),
          ...(change === 0 || !given.quotaReason ? {} : { reason: given.quotaReason }),
          ...(passwordHash === undefined ? {} : { password: "changed" }),
        },
      });
      return readUser(tx, given.id);
    }),
  );
}

/**
 * Bans, unbans, deletes, promotes or demotes an account, within the limits of contract §9.6. Ends its sessions and its
 * access token. A promotion needs a proof.
 */
export async function manageUser(ctx: ServiceContext, input: ManageUserInput): Promise<User> {
  const actor = requireRole(ctx, ROLE.admin);
  const { id, action } = parseInput(manageUserSchema, input);
  if (action === "promote") requireProofOfSession(ctx);
  return ctx.db.transaction(async (tx) => {
    const before = await lockUser(tx, id);
    if (isOutOfReach(actor, before)) throw new AppError("forbidden", "userLevelTooHigh");
    const change = managedChange(action, before, actor.role);
    await tx.update(users).set(change).where(eq(users.id, id));
    await endAccess(tx, id);
    const after = await readUser(tx, id);
    const state = ["role", "status", "deletedAt"];
    await writeAudit(tx, ctx, {
      action: `user.${action}`,
      subject: `user:${id}`,
      before: pick(before, state),
      after: pick(after, state),
    });
    return after;
  });
}

function managedChange(action: ManageUserInput["action"], target: User, actorRole: number) {
  if (target.role === ROLE.root && action !== "enable") throw new AppError("forbidden", "rootUntouchable");
  switch (action) {
    case "disable":
      return { status: USER_STATUS.disabled };
    case "enable":
      return { status: USER_STATUS.enabled };
    case "delete":
      return { deletedAt: sql`now()` };
    case "promote":
      if (actorRole !== ROLE.root) throw new AppError("forbidden", "promoteNotAllowed");
      if (target.role >= ROLE.admin) throw new AppError("conflict", "alreadyAdmin");
      return { role: ROLE.admin };
    case "demote":
      if (target.role === ROLE.user) throw new AppError("conflict", "alreadyUser");
      return { role: ROLE.user };
  }
}

const LIMITS = [
  "concurrencyLimit",
  "requestsPerMinute",
  "tokensPerMinute",
  "budgetDay",
  "budgetWeek",
  "budgetMonth",
] as const;

/** The limits that are given. */
function limitChanges(given: { [Name in (typeof LIMITS)[number]]?: number | undefined }): Record<string, number> {
  return Object.fromEntries(LIMITS.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])));
}

/** Accounts of the same or a higher role, unless the administrator is root (contract §9.6). */
function isOutOfReach(actor: UserActor, target: { role: number }): boolean {
  return actor.role !== ROLE.root && target.role >= actor.role;
}

async function newGroup(tx: Database, before: User, group: string | undefined): Promise<string | undefined> {
  if (group === undefined || group === before.group) return undefined;
  const { GroupRatio } = await loadOptions(tx);
  if (!Object.hasOwn(GroupRatio, group)) throw new AppError("invalid", "groupUnknown", { field: "group" });
  return group;
}

/** Books the difference to the wanted balance and returns it; 0 where this change was booked before. */
async function setBalance(
  tx: Database,
  actor: UserActor,
  before: User,
  given: Pick<UpdateUserInput, "quota" | "seen" | "usedQuotaSeen" | "changeId">,
): Promise<number> {
  if (given.quota === undefined) return 0;
  const seen = { amount: seenAmount(given.seen, "quota"), used: given.usedQuotaSeen };
  const now = { amount: before.quota, used: before.usedQuota };
  const amount = meantChange(given.quota, seen, await withRefunds(tx, now, seen, { userId: before.id }));
  if (amount === 0) return 0;
  const after = before.quota + amount;
  const reference = `adjustment:${given.changeId ?? crypto.randomUUID()}`;
  const posted = await findPosted(tx, before.id, reference);
  if (posted === amount) return 0;
  if (posted !== null) throw amountSavedBefore("quota");
  if (given.quota < 0 || Math.abs(after) > QUOTA_MAX)
    throw new AppError("invalid", "userQuotaInvalid", { field: "quota" });
  await postLedgerEntry(tx, {
    userId: before.id,
    amount,
    kind: "adjustment",
    reference,
    actorId: actor.id,
    // Not the name: an entry is never changed, also when the administrator's account is erased.
    note: `by user ${actor.id}`,
  });
  await writeLogEvent(tx, {
    userId: before.id,
    type: LOG_TYPE.manage,
    event: "userQuotaChanged",
    params: { before: before.quota, after },
    content: `管理员将用户额度从 ${before.quota} 修改为 ${after}`,
    quota: amount,
  });
  await tellCredit(tx, { userId: before.id, event: "quota_adjusted", amount, reference });
  return amount;
}

async function readUser(tx: Database, id: number): Promise<User> {
  const [row] = await tx.select(userFields).from(users).where(eq(users.id, id));
  if (!row) throw new AppError("not_found", "userNotFound");
  return row;
}

function pick(row: User, keys: readonly string[]): Partial<User> {
  return Object.fromEntries(Object.entries(row).filter(([key]) => keys.includes(key)));
}
