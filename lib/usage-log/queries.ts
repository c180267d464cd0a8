import { and, eq, gte, inArray, lte, ne, or, type SQL, sql } from "drizzle-orm";
import { channels, usageLogs } from "@/db/schema";
import { nowSeconds } from "@/lib/clock";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { readAvailable } from "@/lib/log-store/read-available";
import { escapeLike, offsetOf, type Page } from "@/lib/page";
import { LOG_TYPE } from "@/lib/row-status";
import { parseInput } from "@/lib/validation";
import { findNamed, NOBODY, withAccountNames } from "./account-names-queries";
import { ADMIN_FIELDS, type FilterField, LOG_COLUMN_LIST, LOG_FILTERS, type UsageLog } from "./columns";
import { LOG_COUNT_MAX, type LogSearch, logSearchSchema, OWN_LOG_SECONDS, type ParsedLogSearch } from "./schemas";
import { logSource } from "./source";
import type { Asked, AskedValues, Place } from "./source-types";

/** The models in everybody's log (administrators), to choose from: while the log store is away, those that are known. */
export async function listLoggedModels(ctx: ServiceContext): Promise<string[]> {
  requireRole(ctx, ROLE.admin);
  const { result } = await readAvailable(() => logSource(ctx).models("%"));
  return result;
}

/** What the user may see: whose rows, since when, and whether with channel data. */
export type Sight = {
  search: ParsedLogSearch;
  /** The models that match the pattern; null = all models. */
  models: string[] | null;
  /** For LIKE: refusals of requests for a model that no channel has match by the name that was asked for; null = they do not. */
  madeUp: string | null;
  owner: number | null;
  since: number | null;
  full: boolean;
};

/** The usage log, newest first. `total` is at most LOG_COUNT_MAX; isTotalCapped tells when there are more. */
export async function listLogs(ctx: ServiceContext, input: LogSearch = {}): Promise<Page<UsageLog>> {
  const sight = await sightOf(ctx, input);
  const { search } = sight;
  const page = Math.min(search.page, Math.ceil(LOG_COUNT_MAX / search.pageSize));
  const { rows, total } = await logSource(ctx).page({
    ...visible(sight),
    limit: search.pageSize,
    offset: offsetOf({ page, pageSize: search.pageSize }),
    max: LOG_COUNT_MAX + 1,
  });
  const named = await withAccountNames(ctx, rows);
  const items = sight.full ? named : named.map(withoutChannels);
  const isTotalCapped = total > LOG_COUNT_MAX;
  return { items, total: Math.min(total, LOG_COUNT_MAX), isTotalCapped, page, pageSize: search.pageSize };
}

/** A row by its place in the log; null when there is none that the user may see. */
export async function findLog(ctx: ServiceContext, { createdAt, id }: Place): Promise<UsageLog | null> {
  const sight = await sightOf(ctx, {});
  const { where } = visible(sight);
  const rows = await logSource(ctx).newest({
    where: and(where, eq(usageLogs.createdAt, createdAt), eq(usageLogs.id, id)),
    isShown: true,
    from: createdAt,
    until: createdAt,
    limit: 1,
  });
  const [row] = await withAccountNames(ctx, rows);
  if (!row) return null;
  return sight.full ? row : withoutChannels(row);
}

/** The rows that the user may see in this search. */
export function visible(sight: Sight): Asked {
  const { requestId } = sight.search;
  return {
    where: and(window(sight), filter(sight)),
    isShown: true,
    ...spanOf(sight),
    ...(requestId === "" ? {} : { requestId }),
    ...eitherOf(sight),
    ...knownOf(sight),
  };
}

/** Whose rows are asked for, and the values of the filters in force. */
export function knownOf(sight: Sight): Pick<Asked, "userId" | "values"> {
  return { ...(sight.owner === null ? {} : { userId: sight.owner }), values: valuesOf(sight) };
}

function valuesOf(sight: Sight): AskedValues {
  const { search } = sight;
  const entries = filtersInForce(sight).flatMap(({ field, input }) => {
    if (field === "requestId" || field === "username") return [];
    const value = search[field] ?? "";
    const values = input === "pattern" ? withMadeUp(sight) : [typeof value === "boolean" ? 1 : value];
    return values === null ? [] : [[snakeCase(field), values] as const];
  });
  return Object.fromEntries(entries);
}

const snakeCase = (field: string) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export async function sightOf(ctx: ServiceContext, input: LogSearch): Promise<Sight> {
  const actor = requireRole(ctx, ROLE.user);
  const search = parseInput(logSearchSchema, input);
  const full = actor.role >= ROLE.admin;
  if (search.scope === "all") requireRole(ctx, ROLE.admin);
  const scope = search.scope ?? (full ? "all" : "own");
  const named = full && search.username !== "" ? await findNamed(ctx, search.username) : null;
  return {
    search,
    ...(await readMeantModels(ctx, search.modelName)),
    // Whoever looks at their own rows sees no others by naming somebody.
    owner: scope === "all" ? named : named === null || named === actor.id ? actor.id : NOBODY,
    since: full ? null : nowSeconds() - OWN_LOG_SECONDS,
    full,
  };
}

function window(sight: Sight): SQL | undefined {
  const { from, until } = spanOf(sight);
  return and(
    from === undefined ? undefined : gte(usageLogs.createdAt, from),
    until === undefined ? undefined : lte(usageLogs.createdAt, until),
  );
}

/** The time of a search, both ends inclusive. */
function spanOf({ search, since }: Sight): { from?: number; until?: number } {
  const start = Math.max(search.startTimestamp ?? 0, since ?? 0);
  const { endTimestamp = 0 } = search;
  return { ...(start === 0 ? {} : { from: start }), ...(endTimestamp === 0 ? {} : { until: endTimestamp }) };
}

export function filter(sight: Sight): SQL | undefined {
  const { search, owner } = sight;
  const inForce = filtersInForce(sight);
  const conditions = inForce.map(({ field, input }) => {
    // The account with that name is the owner.
    if (field === "username") return undefined;
    if (field === "cost" || field === "unbilledCost") return FLAGS[field];
    return input === "pattern" ? isOfModel(sight) : eq(usageLogs[field], search[field] ?? "");
  });
  return and(
    owner === null ? undefined : eq(usageLogs.userId, owner),
    inForce.some(isOfFailures) ? IS_FAILURE : undefined,
    ...conditions.map((one) => one ?? undefined),
  );
}

/** The condition of the partial indexes of failed requests, so a literal. */
export const IS_FAILURE = sql`${usageLogs.statusCode} is not null`;

/** Whether only failed requests have such a field. */
export function isOfFailures({ field }: { field: FilterField }): boolean {
  return field === "statusCode" || field === "errorCode" || field === "errorCause";
}

/** Conditions of the partial indexes, so without parameters. */
const FLAGS = {
  cost: sql`${usageLogs.cost} > ${usageLogs.quota}`,
  unbilledCost: sql`${usageLogs.unbilledCost} > 0`,
};

/** The filters that are set and that the user may use. */
export function filtersInForce({ search, full }: Sight): (typeof LOG_FILTERS)[number][] {
  const isSet = ({ field }: { field: FilterField }) => ![undefined, "", 0, false].includes(search[field]);
  return LOG_FILTERS.filter((filter) => isSet(filter) && (full || !filter.isForAdmins));
}

/**
 * The models in the log that match the pattern. There are few, each found by one index lookup; rows are then selected
 * by exact name, which is faster than matching every row with the pattern. A name that no channel has may be one that
 * callers made up or mistyped: the rows of such refusals have no model, and the name in `other`.
 */
async function readMeantModels(ctx: ServiceContext, pattern: string): Promise<Pick<Sight, "models" | "madeUp">> {
  if (/^%*$/.test(pattern)) return { models: null, madeUp: null };
  const like = modelPattern(pattern);
  if (pattern.includes("%")) return { models: await logSource(ctx).models(like), madeUp: like };
  return { models: [pattern], madeUp: (await isOfChannel(ctx, pattern)) ? null : like };
}

/** Whether any channel has the model. The index of their models finds those that may. */
async function isOfChannel({ db }: ServiceContext, model: string): Promise<boolean> {
  const isNear = sql`lower(${channels.models}) like ${`%${escapeLike(model.toLowerCase())}%`}`;
  const has = sql`${model}::text = any(string_to_array(${channels.models}, ','))`;
  const rows = await db.select({ id: channels.id }).from(channels).where(and(isNear, has)).limit(1);
  return rows.length > 0;
}

/** With the empty name of rows whose model callers made up, where these are meant. */
function withMadeUp({ models, madeUp }: Sight): string[] | null {
  return models && madeUp !== null ? [...models, ""] : models;
}

function isOfModel(sight: Sight): SQL | undefined {
  const names = withMadeUp(sight);
  if (names === null) return undefined;
  const isNamed = inArray(usageLogs.modelName, names);
  if (sight.madeUp === null) return isNamed;
  return and(
    isNamed,
    or(ne(usageLogs.modelName, ""), sql`${usageLogs.other}->>'requested_model' like ${sight.madeUp}`),
  );
}

/** The rows of named models, and the refusals of a model that callers made up. */
function eitherOf(sight: Sight): Pick<Asked, "either"> {
  if (sight.models === null || sight.madeUp === null) return {};
  const named = filter({ ...sight, madeUp: null });
  const madeUp = and(filter({ ...sight, models: [] }), eq(usageLogs.type, LOG_TYPE.error));
  return { either: [named, madeUp].map((one) => and(window(sight), one)) };
}

/** The pattern for LIKE. Only `%` is special (contract §1.12); `_` and `\` in model names are escaped. */
export function modelPattern(pattern: string): string {
  return pattern.replace(/[\\_]/g, (character) => `\\${character}`);
}

const MASKS = Object.fromEntries(
  LOG_COLUMN_LIST.flatMap(({ field, mask }) => (mask === undefined ? [] : [[field, mask]])),
) as Partial<UsageLog>;

/** A row for ordinary users: without channels (B147, B207) and without costs. */
export function withoutChannels(row: UsageLog): UsageLog {
  const { admin_info: _, ...other } = row.other;
  const visible: UsageLog = { ...row, ...MASKS, other };
  for (const field of ADMIN_FIELDS) delete visible[field];
  return visible;
}
