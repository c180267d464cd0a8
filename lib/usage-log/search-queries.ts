import { and, eq, gte, type SQL } from "drizzle-orm";
import { usageLogs } from "@/db/schema";
import { nowSeconds } from "@/lib/clock";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import type { UsageLog } from "./columns";
import { withoutChannels } from "./queries";
import { OWN_LOG_SECONDS } from "./schemas";
import { logSource } from "./source";
import type { Asked } from "./source-types";

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
  const rows = await logSource(ctx).search(visibleTo(actor.role, owner, hasType), {
    begins: isType || text === "" ? null : text,
    among: SEARCHED_MAX,
    limit: SEARCH_ROWS,
  });
  return actor.role >= ROLE.admin ? rows : rows.map(withoutChannels);
}

/** The latest rows of an API token, for whoever has its key (contract §1.12). The caller has checked the key. */
export async function listTokenLogs(ctx: ServiceContext, token: { id: number; userId: number }): Promise<UsageLog[]> {
  const rows = await logSource(ctx).newest({
    ...visibleTo(ROLE.user, eq(usageLogs.userId, token.userId), eq(usageLogs.tokenId, token.id)),
    limit: TOKEN_ROWS,
  });
  return rows.map(withoutChannels);
}

/** Ordinary users see the last days only, and nobody sees hidden rows. */
function visibleTo(role: number, ...conditions: (SQL | undefined)[]): Asked {
  const from = role >= ROLE.admin ? undefined : nowSeconds() - OWN_LOG_SECONDS;
  const since = from === undefined ? undefined : gte(usageLogs.createdAt, from);
  return { where: and(since, ...conditions), isShown: true, ...(from === undefined ? {} : { from }) };
}
