import { eq, or, sql } from "drizzle-orm";
import type { Database } from "@/db/client";
import { users } from "@/db/schema";
import { rewardInvitation } from "@/lib/affiliate/reward-commands";
import { lockInviter, SIGN_UP_ACTION } from "@/lib/affiliate/trace-queries";
import { writeAudit } from "@/lib/audit/commands";
import { postLedgerEntry } from "@/lib/billing/ledger";
import { ROLE, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { loadOptions } from "@/lib/option/queries";
import { LOG_TYPE } from "@/lib/row-status";
import { createToken } from "@/lib/token/commands";
import { writeLogEvent } from "@/lib/usage-log/event-commands";

/** Columns with the ids of external accounts. */
export const OUTSIDE_IDS = ["githubId", "oidcId", "wechatId", "telegramId", "linuxDoId"] as const;
/** Where an id is valid. Telegram has one place only. */
export type OutsidePlace = "githubServer" | "oidcIssuer" | "wechatServer" | "linuxDoServer";
export type OutsideId = (typeof OUTSIDE_IDS)[number];

export type NewAccount = {
  /** At most 64 characters; the calling function has checked the stricter rule (12 for names that people choose). */
  username: string;
  /** Absent or empty: the user name. */
  displayName?: string;
  /** Null: no sign-in by password. */
  passwordHash: string | null;
  /** Verified, in lower case. */
  email?: string | null;
  outside?: Partial<Record<OutsideId | OutsidePlace, string>>;
  /** An unknown code is ignored, as is that of a banned or deleted account: an outdated link must not prevent the sign-up. */
  inviteCode?: string;
  /** For the audit log: password, github, linuxdo, oidc, wechat, telegram or administrator. */
  method: string;
};

export type CreatedAccount = { id: number; username: string; role: number; status: number; group: string };

/**
 * Creates an ordinary account with the gift for new users, the invitation rewards on both sides and, if the operator
 * wants one, a first API key (contract §9.1, §9.2). `ctx` has the actor and the client address. Call it in a
 * transaction. Throws conflict when name, e-mail address or an external account is taken, also by a deleted account.
 */
export async function createAccount(tx: Database, ctx: ServiceContext, account: NewAccount): Promise<CreatedAccount> {
  const options = await loadOptions(tx);
  // Before the insert: whoever locks several accounts locks the older one first, which avoids deadlocks.
  const inviter = account.inviteCode ? await lockInviter(tx, account.inviteCode) : null;
  const created = await insertAccount(tx, account);
  await giveInitialQuota(tx, created.id, options.QuotaForNewUser);
  const sign = inviter
    ? await rewardInvitation(tx, {
        inviterId: inviter.id,
        inviteeId: created.id,
        newcomer: { addresses: [ctx.clientIp], email: account.email ?? null },
        options,
      })
    : null;
  if (options.DefaultTokenEnabled) {
    const { id, username, role, group } = created;
    const owner: ServiceContext = {
      ...ctx,
      db: tx,
      actor: { type: "user", id, username, role, group, via: "session" },
    };
    await createToken(owner, { name: "default", unlimitedQuota: true });
  }
  await writeAudit(tx, ctx, {
    action: SIGN_UP_ACTION,
    subject: `user:${created.id}`,
    after: {
      username: created.username,
      method: account.method,
      inviterId: inviter?.id ?? null,
      ...(sign === null ? {} : { unrewarded: sign }),
    },
  });
  return created;
}

async function insertAccount(tx: Database, account: NewAccount): Promise<CreatedAccount> {
  const { username, passwordHash, outside = {} } = account;
  const email = account.email?.toLowerCase() ?? null;
  const [row] = await tx
    .insert(users)
    .values({
      username,
      displayName: account.displayName?.trim() || username,
      passwordHash,
      email,
      ...outside,
      role: ROLE.user,
    })
    .onConflictDoNothing()
    .returning({
      id: users.id,
      username: users.username,
      role: users.role,
      status: users.status,
      group: users.group,
    });
  if (row) return row;
  throw await findConflict(tx, { ...account, email });
}

/** Finds what is taken, in the order of contract §9.1. */
async function findConflict(tx: Database, account: NewAccount): Promise<AppError> {
  const name = account.username.toLowerCase();
  const [row] = await tx
    .select({ name: sql<string>`lower(${users.username})`, email: sql<string | null>`lower(${users.email})` })
    .from(users)
    .where(
      or(
        eq(sql`lower(${users.username})`, name),
        account.email ? eq(sql`lower(${users.email})`, account.email) : undefined,
      ),
    )
    .orderBy(sql`(lower(${users.username}) = ${name}) desc`)
    .limit(1);
  if (row?.name === name) return new AppError("conflict", "usernameTaken", { field: "username" });
  if (row) return new AppError("conflict", "emailTaken", { field: "email" });
  return new AppError("conflict", "outsideAccountTaken");
}

async function giveInitialQuota(tx: Database, userId: number, quota: number): Promise<void> {
  if (quota === 0) return;
  await postLedgerEntry(tx, {
    userId,
    amount: quota,
    kind: "grant",
    reference: `user:${userId}:initial`,
    actorId: null,
    note: "new user",
  });
  await writeLogEvent(tx, {
    userId,
    type: LOG_TYPE.system,
    event: "newUserGift",
    params: { quota },
    content: `新用户注册赠送额度 ${quota}`,
    quota,
  });
}
