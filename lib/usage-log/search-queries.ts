import { and, desc, eq, gte, isNull, type SQL, sql } from "drizzle-orm";
import { channels, tokens, usageLogs, users } from "@/db/schema";
import { nowSeconds } from "@/lib/clock";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { sha256Hex } from "@/lib/crypto";
import { AppError } from "@/lib/errors";
import { escapeLike } from "@/lib/page";
import { USER_STATUS } from "@/lib/row-status";
import type { UsageLog } from "./columns";
import { logFields, withoutChannels } from "./queries";
import { OWN_LOG_SECONDS } from "./schemas";

const SEARCH_ROWS = 100;
/** Texts have no index, so only the latest rows are searched. */
const SEARCHED_MAX = 50_000;
const TOKEN_ROWS = 1_000;

type Scope = "all" | "own";

/** The latest rows whose type is the keyword, or whose content begins with it (contract §1.12). */
export async function searchLogs(ctx: ServiceContext, scope: Scope, keyword: string): Promise<UsageLog[]> {
  const actor = requireRole(ctx, scope === "all" ? ROLE.admin : ROLE.user);
  const text = keyword.trim();
  const isType = /^\d$/.test(text);
  const owner = scope === "all" ? undefined : eq(usageLogs.userId, actor.id);
  const hasType = isType && text !== "0" ? eq(usageLogs.type, Number(text)) : undefined;
  const recent = ctx.db
    .select({ id: usageLogs.id, createdAt: usageLogs.createdAt })
    .from(usageLogs)
    .where(and(visibleTo(actor.role), owner, hasType))
    .orderBy(desc(usageLogs.createdAt), desc(usageLogs.id))
    .limit(SEARCHED_MAX)
    .as("recent");
  const begins = isType || text === "" ? undefined : sql`${usageLogs.content} like ${`${escapeLike(text)}%`}`;
  const rows = await ctx.db
    .select(logFields)
    .from(recent)
    .innerJoin(usageLogs, and(eq(usageLogs.id, recent.id), eq(usageLogs.createdAt, recent.createdAt)))
    .leftJoin(channels, eq(channels.id, usageLogs.channelId))
    .where(begins)
    .orderBy(desc(usageLogs.createdAt), desc(usageLogs.id))
    .limit(SEARCH_ROWS);
  return actor.role >= ROLE.admin ? rows : rows.map(withoutChannels);
}

/** The latest rows of an API token, for whoever has its key (contract §1.12). Throws invalid for a key in no use. */
export async function listTokenLogs(ctx: ServiceContext, key: string): Promise<UsageLog[]> {
  const [token] = await ctx.db
    .select({ id: tokens.id, userId: tokens.userId })
    .from(tokens)
    .innerJoin(users, eq(users.id, tokens.userId))
    .where(
      and(
        eq(tokens.keyHash, sha256Hex(key.trim().replace(/^sk-/, ""))),
        isNull(tokens.deletedAt),
        isNull(users.deletedAt),
        eq(users.status, USER_STATUS.enabled),
      ),
    );
  if (!token) throw new AppError("invalid", "tokenKeyUnknown");
  const rows = await ctx.db
    .select(logFields)
    .from(usageLogs)
    .leftJoin(channels, eq(channels.id, usageLogs.channelId))
    .where(and(visibleTo(ROLE.user), eq(usageLogs.userId, token.userId), eq(usageLogs.tokenId, token.id)))
    .orderBy(desc(usageLogs.createdAt), desc(usageLogs.id))
    .limit(TOKEN_ROWS);
  return rows.map(withoutChannels);
}

/** Ordinary users see the last days only, and nobody sees hidden rows. */
function visibleTo(role: number): SQL | undefined {
  const since = role >= ROLE.admin ? undefined : gte(usageLogs.createdAt, nowSeconds() - OWN_LOG_SECONDS);
  return and(sql`not ${usageLogs.hidden}`, since);
}
