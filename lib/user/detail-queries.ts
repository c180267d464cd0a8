import { and, count, desc, eq, isNull, sql } from "drizzle-orm";
import { auditEntries, sessions, tokens, users } from "@/db/schema";
import { readAuditRows } from "@/lib/audit/row-queries";
import type { AuditRow } from "@/lib/audit/types";
import { type Device, readUserAgent } from "@/lib/auth/user-agent";
import { nowSeconds } from "@/lib/clock";
import type { ServiceContext } from "@/lib/context";
import { tokenFields, toToken } from "@/lib/token/queries";
import type { Token } from "@/lib/token/types";
import { getUser } from "./queries";
import type { User } from "./types";

const ROWS_SHOWN = 10;

/** A session of a user. Times in unix seconds. */
export type UserSession = {
  id: string;
  method: string;
  device: Device;
  clientIp: string;
  createdAt: number;
  lastSeenAt: number;
};

/** What the page of one account shows besides its log and ledger; never with keys. */
export type UserDetail = {
  user: User;
  inviter: { id: number; username: string } | null;
  /** The most recently used, at most ten. */
  tokens: Token[];
  tokenCount: number;
  sessions: UserSession[];
  /** Newest first, at most ten. */
  changes: AuditRow[];
};

/** One account with its details (administrators). Throws like getUser. */
export async function getUserDetail(ctx: ServiceContext, id: number): Promise<UserDetail> {
  const user = await getUser(ctx, id);
  const [inviter, ownTokens, tokenCount, open, changes] = await Promise.all([
    findInviter(ctx, user.inviterId),
    listTokens(ctx, id),
    countTokens(ctx, id),
    listSessions(ctx, id),
    listChanges(ctx, id),
  ]);
  return { user, inviter, tokens: ownTokens, tokenCount, sessions: open, changes };
}

async function findInviter(ctx: ServiceContext, id: number | null): Promise<UserDetail["inviter"]> {
  if (!id) return null;
  const [row] = await ctx.db.select({ id: users.id, username: users.username }).from(users).where(eq(users.id, id));
  return row ?? null;
}

const ownTokens = (userId: number) => and(eq(tokens.userId, userId), isNull(tokens.deletedAt));

async function listTokens(ctx: ServiceContext, userId: number): Promise<Token[]> {
  const rows = await ctx.db
    .select(tokenFields)
    .from(tokens)
    .where(ownTokens(userId))
    .orderBy(desc(tokens.accessedTime), desc(tokens.id))
    .limit(ROWS_SHOWN);
  return rows.map(toToken);
}

async function countTokens(ctx: ServiceContext, userId: number): Promise<number> {
  const [row] = await ctx.db.select({ total: count() }).from(tokens).where(ownTokens(userId));
  return row?.total ?? 0;
}

async function listSessions(ctx: ServiceContext, userId: number): Promise<UserSession[]> {
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
    .where(
      and(
        eq(sessions.userId, userId),
        isNull(sessions.revokedAt),
        sql`${sessions.expiresAt} > ${nowSeconds()}::bigint`,
      ),
    )
    .orderBy(desc(sessions.lastSeenAt))
    .limit(ROWS_SHOWN);
  return rows.map(({ userAgent, ...row }) => ({ ...row, device: readUserAgent(userAgent) }));
}

function listChanges(ctx: ServiceContext, userId: number): Promise<AuditRow[]> {
  return readAuditRows(ctx.db, eq(auditEntries.subject, `user:${userId}`), ROWS_SHOWN);
}
