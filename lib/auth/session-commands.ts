import { randomUUID } from "node:crypto";
import { and, eq, isNull, lte, ne, sql } from "drizzle-orm";
import type { Database } from "@/db/client";
import { sessions, users } from "@/db/schema";
import { isServerAway } from "@/db/trouble";
import { writeAudit } from "@/lib/audit/commands";
import { nowSeconds } from "@/lib/clock";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { logger } from "@/lib/logger";
import { notify } from "@/lib/notify/notify-commands";
import { USER_STATUS } from "@/lib/row-status";
import { rememberPlace } from "./place-commands";
import { findAccount } from "./queries";
import { decodeSession, encodeSession, SESSION_MAX_AGE_SECONDS, type SessionClaims } from "./session-token";
import { deviceName, readUserAgent } from "./user-agent";

export type SignInMethod = "password" | "passkey" | "github" | "linuxdo" | "oidc" | "wechat" | "telegram";

export type NewSession = { userId: number; method: SignInMethod; clientIp: string; userAgent: string };

/** `token` is the value of the session cookie. */
export type CreatedSession = { claims: SessionClaims; token: string };

/** last_seen_at is written at most once per this interval, so that most requests write nothing. */
const TOUCH_SECONDS = 60;
const USER_AGENT_LENGTH_MAX = 512;

const now = sql`floor(extract(epoch from clock_timestamp()))::bigint`;
const live = and(isNull(sessions.revokedAt), sql`${sessions.expiresAt} > ${now}`);

/**
 * Creates a session of 30 days, which counts as recently confirmed, and its cookie. Notifies the owner of a sign-in
 * from a new place. Throws not_found for an unknown or deleted account, forbidden for a banned one.
 */
export async function createSession(db: Database, input: NewSession): Promise<CreatedSession> {
  const account = await findAccount(db, input.userId);
  if (!account) throw new AppError("not_found", "userNotFound");
  if (account.status !== USER_STATUS.enabled) throw new AppError("forbidden", "userBanned");
  const claims = { uid: account.id, sv: account.sessionVersion, sid: randomUUID() };
  await db.transaction(async (tx) => {
    await tx.insert(sessions).values({
      id: claims.sid,
      userId: account.id,
      expiresAt: nowSeconds() + SESSION_MAX_AGE_SECONDS,
      method: input.method,
      clientIp: input.clientIp.slice(0, 64),
      userAgent: input.userAgent.slice(0, USER_AGENT_LENGTH_MAX),
    });
    if (await rememberPlace(tx, input)) await tellOfNewPlace(tx, claims.sid, input);
  });
  return { claims, token: await encodeSession(claims) };
}

async function tellOfNewPlace(
  tx: Database,
  sessionId: string,
  { userId, clientIp, userAgent }: NewSession,
): Promise<void> {
  await notify(tx, {
    userId,
    event: "sign_in_new_place",
    params: { clientIp, device: deviceName(readUserAgent(userAgent)), at: nowSeconds() },
    dedupeKey: `sign-in:${sessionId}`,
  });
}

/** Until when a database is not asked to write it again. */
const unwritable = new WeakMap<Database, number>();

/** Updates last_seen_at, at most once a minute. Where nothing can be written, e.g. on a full disk, people still read. */
export async function touchSession(db: Database, session: { id: string; lastSeenAt: number }): Promise<void> {
  const seenAt = nowSeconds();
  if (seenAt - session.lastSeenAt < TOUCH_SECONDS || seenAt < (unwritable.get(db) ?? 0)) return;
  try {
    await db
      .update(sessions)
      .set({ lastSeenAt: seenAt })
      .where(and(eq(sessions.id, session.id), lte(sessions.lastSeenAt, seenAt - TOUCH_SECONDS)));
  } catch (error) {
    if (!isServerAway(error)) throw error;
    unwritable.set(db, seenAt + TOUCH_SECONDS);
    logger.warn({ err: error }, "when a session was last used could not be written");
  }
}

/** Records that the owner has just proved who they are in this session. */
export async function confirmSession(db: Database, sessionId: string): Promise<void> {
  await db
    .update(sessions)
    .set({ confirmedAt: now })
    .where(and(eq(sessions.id, sessionId), live));
}

/** Ends the session of a cookie on sign-out; an invalid cookie is ignored. */
export async function endSessionOf(db: Database, cookie: string | undefined): Promise<void> {
  const claims = cookie ? await decodeSession(cookie) : null;
  if (claims) await revokeSession(db, claims);
}

export async function revokeSession(db: Database, claims: SessionClaims): Promise<void> {
  await db
    .update(sessions)
    .set({ revokedAt: now })
    .where(and(eq(sessions.id, claims.sid), eq(sessions.userId, claims.uid), isNull(sessions.revokedAt)));
}

/**
 * Ends everything that an account was entered by: sessions, tickets (they carry session_version) and the system access
 * token. For a new password, a ban, another role, a deletion.
 */
export async function endAccess(db: Database, userId: number): Promise<void> {
  await db
    .update(users)
    .set({ sessionVersion: sql`${users.sessionVersion} + 1`, accessTokenHash: null })
    .where(eq(users.id, userId));
  await db
    .update(sessions)
    .set({ revokedAt: now })
    .where(and(eq(sessions.userId, userId), isNull(sessions.revokedAt)));
}

/** Ends one of the current user's sessions. Throws not_found for another user's session, an unknown or an ended one. */
export async function revokeOwnSession(ctx: ServiceContext, input: { id: string }): Promise<void> {
  const actor = requireRole(ctx, ROLE.user);
  await ctx.db.transaction(async (tx) => {
    const ended = await tx
      .update(sessions)
      .set({ revokedAt: now })
      .where(and(eq(sessions.id, input.id), eq(sessions.userId, actor.id), live))
      .returning({ id: sessions.id });
    if (ended.length === 0) throw new AppError("not_found", "sessionNotFound");
    await writeAudit(tx, ctx, { action: "session.revoke", subject: `user:${actor.id}`, before: { id: input.id } });
  });
}

/** Ends all of the current user's sessions except this one; returns how many. */
export async function revokeOtherSessions(ctx: ServiceContext): Promise<number> {
  const actor = requireRole(ctx, ROLE.user);
  const kept = actor.session?.id;
  return ctx.db.transaction(async (tx) => {
    const ended = await tx
      .update(sessions)
      .set({ revokedAt: now })
      .where(and(eq(sessions.userId, actor.id), live, kept === undefined ? undefined : ne(sessions.id, kept)))
      .returning({ id: sessions.id });
    if (ended.length > 0) {
      await writeAudit(tx, ctx, {
        action: "session.revoke-others",
        subject: `user:${actor.id}`,
        before: { count: ended.length },
      });
    }
    return ended.length;
  });
}
