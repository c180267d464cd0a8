import { listChannels } from "@/lib/channel/queries";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import type { Locale } from "@/lib/i18n/locale";
import { readAvailable } from "@/lib/log-store/read-available";
import { settingPath } from "@/lib/option/cards";
import { searchOptions } from "@/lib/option/search";
import { searchEntries } from "@/lib/option/search-entries";
import { getToken, listTokens } from "@/lib/token/queries";
import type { Token } from "@/lib/token/types";
import { listLogs } from "@/lib/usage-log/queries";
import { findRequestId } from "@/lib/usage-log/request-id";
import { listUsers } from "@/lib/user/queries";
import type { PaletteSearch } from "./schemas";

/** A result of the command palette, and the page that shows it. */
export type Found = {
  kind: "channel" | "user" | "token" | "log" | "setting";
  id: string;
  title: string;
  /** Distinguishes results with the same name. */
  hint: string;
  path: string;
};

/** Maximum results of each kind. */
const EACH_MAX = 5;
/** Longer texts are only looked through for a request id. */
const TERM_MAX = 100;
/** Shorter terms are not searched as request ids, which are always longer. */
const REQUEST_ID_MIN = 12;

/**
 * Searches channels and users (administrators), own tokens by id or name, log rows by request id, and settings (root).
 * The list queries it calls check permissions.
 */
export async function searchEverything(ctx: ServiceContext, { term }: PaletteSearch, locale: Locale): Promise<Found[]> {
  const actor = requireRole(ctx, ROLE.user);
  const isAdmin = actor.role >= ROLE.admin;
  // Nothing else is named like a request, which may be pasted with the error that it had.
  const requestId = findRequestId(term);
  if (requestId) return findLogs(ctx, requestId);
  if (term.length > TERM_MAX) return [];
  const found = await Promise.all([
    isAdmin ? findChannels(ctx, term) : [],
    isAdmin ? findUsers(ctx, term) : [],
    findTokens(ctx, term),
    term.length >= REQUEST_ID_MIN && !/\s/.test(term) ? findLogs(ctx, term) : [],
    actor.role >= ROLE.root ? findSettings(term, locale) : [],
  ]);
  return found.flat();
}

async function findChannels(ctx: ServiceContext, keyword: string): Promise<Found[]> {
  const { items } = await listChannels(ctx, { keyword, pageSize: EACH_MAX });
  return items.map(({ id, name, tag }) => ({
    kind: "channel",
    id: String(id),
    title: name,
    hint: tag ? `#${id} · ${tag}` : `#${id}`,
    path: `/channel?edit=${id}`,
  }));
}

async function findUsers(ctx: ServiceContext, keyword: string): Promise<Found[]> {
  const { items } = await listUsers(ctx, { keyword, pageSize: EACH_MAX });
  return items.map(({ id, username, displayName, email }) => ({
    kind: "user",
    id: String(id),
    title: username,
    hint: [`#${id}`, displayName === username ? "" : displayName, email].filter(Boolean).join(" · "),
    path: `/user?edit=${id}`,
  }));
}

async function findTokens(ctx: ServiceContext, term: string): Promise<Found[]> {
  const [byName, byId] = await Promise.all([
    listTokens(ctx, { keyword: term, pageSize: EACH_MAX }),
    /^\d{1,9}$/.test(term) ? getToken(ctx, Number(term)).catch(nothingOf) : null,
  ]);
  const others = byName.items.filter((token) => token.id !== byId?.id);
  return (byId ? [byId, ...others] : others).slice(0, EACH_MAX).map(toFoundToken);
}

function toFoundToken({ id, name, keyHint }: Pick<Token, "id" | "name" | "keyHint">): Found {
  return { kind: "token", id: String(id), title: name, hint: `#${id} · ${keyHint}`, path: `/token?edit=${id}` };
}

async function findLogs(ctx: ServiceContext, requestId: string): Promise<Found[]> {
  const { result } = await readAvailable(() => listLogs(ctx, { requestId, pageSize: EACH_MAX }));
  return result.items.map((row) => ({
    kind: "log",
    id: row.requestId,
    title: row.requestId,
    hint: [row.modelName, row.username].filter(Boolean).join(" · "),
    path: `/log?request=${encodeURIComponent(row.requestId)}`,
  }));
}

function findSettings(term: string, locale: Locale): Found[] {
  const found = searchOptions(searchEntries(locale), term).slice(0, EACH_MAX);
  return found.map(({ key, card, label, pageTitle }) => ({
    kind: "setting",
    id: key,
    title: label,
    hint: pageTitle,
    path: settingPath(card, key),
  }));
}

function nothingOf(error: unknown): null {
  if (error instanceof AppError && error.code === "not_found") return null;
  throw error;
}
