import { eq, sql } from "drizzle-orm";
import type { Dispatcher } from "undici";
import { users } from "@/db/schema";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { usableGroups } from "@/lib/group/queries";
import { loadOptions } from "@/lib/option/queries";
import type { UserRow } from "@/lib/snapshot/queries";
import { relayHost } from "./relay-host";

/**
 * Sends a chat through the relay on behalf of a signed-in user, in one of the groups the user may use ("" = the user's
 * own), and returns the relay's response as a stream. Charged and logged like any request. A system access token is not
 * accepted (console §2.23): the playground is for people. Throws forbidden, invalid.
 */
export async function askPlayground(
  ctx: ServiceContext,
  input: { body: Record<string, unknown>; signal: AbortSignal },
): Promise<Dispatcher.ResponseData> {
  const actor = requireRole(ctx, ROLE.user);
  if (actor.via !== "session") throw new AppError("forbidden", "sessionRequired");
  const { group: asked, ...chat } = input.body;
  const group = typeof asked === "string" && asked !== "" ? asked : actor.group;
  const usable = usableGroups(await loadOptions(ctx.db), actor.group);
  if (group !== actor.group && !usable.some(({ name }) => name === group))
    throw new AppError("forbidden", "groupUnknown", { group });
  const host = await relayHost();
  const user = await readUser(ctx, actor.id);
  return host.pool.request({
    method: "POST",
    path: "/v1/chat/completions",
    headers: { "content-type": "application/json", ...host.admit(user, group, ctx.clientIp) },
    body: JSON.stringify(withoutEmptyLimit(chat)),
    signal: input.signal,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

/** Older clients send max_tokens 0 for "no limit", which upstreams refuse. */
function withoutEmptyLimit(chat: Record<string, unknown>): Record<string, unknown> {
  const { max_tokens: limit, ...rest } = chat;
  return limit === undefined || limit === 0 ? rest : chat;
}

async function readUser(ctx: ServiceContext, id: number): Promise<UserRow> {
  const [row] = await ctx.db
    .select({
      id: users.id,
      username: users.username,
      role: users.role,
      status: users.status,
      group: users.group,
      concurrencyLimit: users.concurrencyLimit,
      requestsPerMinute: users.requestsPerMinute,
      tokensPerMinute: users.tokensPerMinute,
      budgetDay: users.budgetDay,
      budgetWeek: users.budgetWeek,
      budgetMonth: users.budgetMonth,
      acceptsUnpriced: sql<boolean>`${users.setting} -> 'accept_unset_model_ratio_model' = 'true'::jsonb is true`,
    })
    .from(users)
    .where(eq(users.id, id));
  if (!row) throw new AppError("not_found", "userNotFound");
  return row;
}
