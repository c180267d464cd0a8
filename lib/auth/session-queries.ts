import { and, desc, eq, isNull, sql } from "drizzle-orm";
import type { Database } from "@/db/client";
import { sessions, users } from "@/db/schema";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { addressKey } from "@/lib/rate-window";
import { type AccountRow, accountFields } from "./queries";
import type { SessionClaims } from "./session-token";
import { type Device, readUserAgent } from "./user-agent";

const now = sql`floor(extract(epoch from clock_timestamp()))::bigint`;
const LIST_MAX = 100;

export type SessionState = { account: AccountRow; session: { id: string; confirmedAt: number; lastSeenAt: number } };

/**
 * The account and the session of a cookie's claims. `session` is null when it was ended, has expired, or is older than
 * a ban, demotion or password change. Null for a deleted account.
 */
export async function findSession(
  db: Database,
  claims: SessionClaims,
): Promise<{ account: AccountRow; session: SessionState["session"] | null } | null> {
  const [row] = await db
    .select({
      ...accountFields,
      sid: sessions.id,
      confirmedAt: sessions.confirmedAt,
      lastSeenAt: sessions.lastSeenAt,
    })
    .from(users)
    .leftJoin(
      sessions,
      and(
        eq(sessions.id, claims.sid),
        eq(sessions.userId, users.id),
        isNull(sessions.revokedAt),
        sql`${sessions.expiresAt} > ${now}`,
      ),
    )
    .where(and(eq(users.id, claims.uid), isNull(users.deletedAt)));
  if (!row) return null;
  const { sid, confirmedAt, lastSeenAt, ...account } = row;
  const valid = sid !== null && confirmedAt !== null && lastSeenAt !== null && account.sessionVersion === claims.sv;
  return { account, session: valid ? { id: sid, confirmedAt, lastSeenAt } : null };
}

/** Enough for everybody; an account with more sign-ins is a script, whose latest addresses count. */
const ADDRESSES_MAX = 500;
const KNOWN_SECONDS = 2_592_000;

/** Whether the account has signed in from this address (IPv6: its /64) within 30 days. */
export async function hasSignedInFrom(db: Database, userId: number, clientIp: string): Promise<boolean> {
  if (clientIp === "") return false;
  const rows = await db
    .select({ clientIp: sessions.clientIp })
    .from(sessions)
    .where(and(eq(sessions.userId, userId), sql`${sessions.lastSeenAt} > ${now} - ${KNOWN_SECONDS}::bigint`))
    .groupBy(sessions.clientIp)
    .orderBy(desc(sql`max(${sessions.lastSeenAt})`))
    .limit(ADDRESSES_MAX);
  const wanted = addressKey(clientIp);
  return rows.some((row) => addressKey(row.clientIp) === wanted);
}

/** A session as its owner sees it. Times in unix seconds. */
export type OwnSession = {
  id: string;
  current: boolean;
  method: string;
  device: Device;
  clientIp: string;
  createdAt: number;
  lastSeenAt: number;
};

/** The current user's valid sessions: this one first, then by last use. */
export async function listOwnSessions(ctx: ServiceContext): Promise<OwnSession[]> {
  const actor = requireRole(ctx, ROLE.user);
  const current = actor.session?.id ?? "";
  const rows = await ctx.db
    .select({
      id: sessions.id,
      method: sessions.method,
      userAgent: sessions.userAgent,
      clientIp: sessions.clientIp,
      createdAt: sessions.createdAt,
      lastSeenAt: sessions.lastSeenAt,
    })
    .from(sessions)
    .where(and(eq(sessions.userId, actor.id), isNull(sessions.revokedAt), sql`${sessions.expiresAt} > ${now}`))
    .orderBy(desc(sql`${sessions.id}::text = ${current}`), desc(sessions.lastSeenAt), desc(sessions.id))
    .limit(LIST_MAX);
  return rows.map(({ userAgent, ...row }) => ({
    ...row,
    current: row.id === current,
    device: readUserAgent(userAgent),
  }));
}
