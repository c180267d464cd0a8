import { and, desc, eq, gt, inArray, sql } from "drizzle-orm";
import type { Database } from "@/db/client";
import { affiliateEntries, auditEntries, sessions, users } from "@/db/schema";
import { nowSeconds } from "@/lib/clock";
import { USER_STATUS } from "@/lib/row-status";
import type { Trace } from "./farming";

/** The action of the sign-up's audit entry, which holds the client address. */
export const SIGN_UP_ACTION = "user.register";

const WINDOW_SECONDS = 30 * 86_400;
const DAY_SECONDS = 86_400;
/** Only the newest invitees are compared, so that the check stays cheap for an inviter with many. */
const INVITEES_MAX = 200;
const SESSIONS_MAX = 50;

/** The addresses that an inviter and the latest invitees used in the last 30 days, and their e-mail addresses. */
export async function readTraces(db: Database, inviterId: number): Promise<Trace[]> {
  const [inviter] = await db.select({ email: users.email }).from(users).where(eq(users.id, inviterId));
  const invitees = await db
    .select({ id: users.id, email: users.email })
    .from(users)
    .where(eq(users.inviterId, inviterId))
    .orderBy(desc(users.id))
    .limit(INVITEES_MAX);
  const since = nowSeconds() - WINDOW_SECONDS;
  const signIns = await db
    .select({ clientIp: sessions.clientIp })
    .from(sessions)
    .where(and(eq(sessions.userId, inviterId), gt(sessions.lastSeenAt, since)))
    .orderBy(desc(sessions.lastSeenAt))
    .limit(SESSIONS_MAX);
  const signUps = await db
    .select({ subject: auditEntries.subject, clientIp: auditEntries.clientIp })
    .from(auditEntries)
    .where(
      and(
        inArray(
          auditEntries.subject,
          [inviterId, ...invitees.map(({ id }) => id)].map((id) => `user:${id}`),
        ),
        eq(auditEntries.action, SIGN_UP_ACTION),
        gt(auditEntries.createdAt, since),
      ),
    );
  return [
    { email: inviter?.email ?? null, addresses: signIns.map(({ clientIp }) => clientIp) },
    ...invitees.map(({ email }) => ({ email, addresses: [] })),
    { email: null, addresses: signUps.map(({ clientIp }) => clientIp) },
  ];
}

/** Whether the inviter has `limit` (1 or more) rewarded invitations in the last 24 hours. */
export async function hasReachedDailyLimit(db: Database, inviterId: number, limit: number): Promise<boolean> {
  const [row] = await db
    .select({ createdAt: affiliateEntries.createdAt })
    .from(affiliateEntries)
    .where(and(eq(affiliateEntries.userId, inviterId), eq(affiliateEntries.kind, "invitation")))
    .orderBy(desc(affiliateEntries.id))
    .limit(1)
    .offset(limit - 1);
  return row !== undefined && row.createdAt > nowSeconds() - DAY_SECONDS;
}

/** The enabled account that owns the code. Its row is locked, so that its invitations are checked one after another. */
export async function lockInviter(tx: Database, inviteCode: string): Promise<{ id: number; username: string } | null> {
  const [row] = await tx
    .select({ id: users.id, username: users.username })
    .from(users)
    .where(and(eq(users.affCode, inviteCode), eq(users.status, USER_STATUS.enabled), sql`${users.deletedAt} is null`))
    .for("no key update");
  return row ?? null;
}
