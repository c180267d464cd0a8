import { asc, isNull, sql } from "drizzle-orm";
import { tokens } from "@/db/schema";
import { listChannels } from "@/lib/channel/queries";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { listGroupNames, listUsableGroups } from "@/lib/group/queries";
import { listEnabledModels, listUsableModels } from "@/lib/model/queries";
import { escapeLike } from "@/lib/page";
import { listTokens } from "@/lib/token/queries";
import { listLoggedModels } from "@/lib/usage-log/queries";
import { listUsers } from "@/lib/user/queries";
import { parseInput } from "@/lib/validation";
import { type Suggested, type SuggestInput, type Suggestion, suggestInput } from "./schemas";

const SUGGESTIONS_MAX = 20;

type Find = (ctx: ServiceContext, term: string) => Promise<Suggestion[]>;

const FIND: Record<Suggested, Find> = {
  user: findUsers,
  channel: findChannels,
  token: findTokens,
  model: findModels,
  group: findGroups,
};

/**
 * Existing values that contain the term, at most 20. Users, channels and what belongs to others are for administrators;
 * everybody else gets their own API keys and what they may use.
 */
export async function suggestValues(ctx: ServiceContext, input: SuggestInput): Promise<Suggestion[]> {
  requireRole(ctx, ROLE.user);
  const { of, term } = parseInput(suggestInput, input);
  return FIND[of](ctx, term);
}

async function findUsers(ctx: ServiceContext, keyword: string): Promise<Suggestion[]> {
  const { items } = await listUsers(ctx, { keyword, pageSize: SUGGESTIONS_MAX });
  return items.map(({ id, username, displayName }) => ({
    value: username,
    hint: displayName === "" || displayName === username ? `#${id}` : `#${id} ${displayName}`,
  }));
}

async function findChannels(ctx: ServiceContext, keyword: string): Promise<Suggestion[]> {
  const { items } = await listChannels(ctx, { keyword, pageSize: SUGGESTIONS_MAX });
  return items.map(({ id, name }) => ({ value: String(id), hint: name }));
}

async function findTokens(ctx: ServiceContext, term: string): Promise<Suggestion[]> {
  if (requireRole(ctx, ROLE.user).role < ROLE.admin) {
    const { items } = await listTokens(ctx, {
      keyword: term,
      sort: "name",
      descending: false,
      pageSize: SUGGESTIONS_MAX,
    });
    return toSuggestions(items.map(({ name }) => name));
  }
  const rows = await ctx.db
    .selectDistinct({ name: tokens.name })
    .from(tokens)
    .where(sql`${isNull(tokens.deletedAt)} and lower(${tokens.name}) like ${`%${escapeLike(term.toLowerCase())}%`}`)
    .orderBy(asc(tokens.name))
    .limit(SUGGESTIONS_MAX);
  return toSuggestions(rows.map(({ name }) => name));
}

async function findModels(ctx: ServiceContext, term: string): Promise<Suggestion[]> {
  const isAdmin = requireRole(ctx, ROLE.user).role >= ROLE.admin;
  const lists = await Promise.all(isAdmin ? [listLoggedModels(ctx), listEnabledModels(ctx)] : [listUsableModels(ctx)]);
  return toSuggestions(containing(lists.flat(), term));
}

async function findGroups(ctx: ServiceContext, term: string): Promise<Suggestion[]> {
  const isAdmin = requireRole(ctx, ROLE.user).role >= ROLE.admin;
  const names = isAdmin ? await listGroupNames(ctx) : (await listUsableGroups(ctx)).map(({ name }) => name);
  return toSuggestions(containing(names, term));
}

function containing(names: string[], term: string): string[] {
  const wanted = term.toLowerCase();
  return names.filter((name) => name.toLowerCase().includes(wanted)).sort();
}

/** Each name once, without a hint. */
function toSuggestions(names: string[]): Suggestion[] {
  return [...new Set(names)]
    .filter((name) => name !== "")
    .slice(0, SUGGESTIONS_MAX)
    .map((value) => ({ value, hint: "" }));
}
