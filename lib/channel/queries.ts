import { and, asc, desc, eq, inArray, isNotNull, isNull, lte, ne, notInArray, or, type SQL, sql } from "drizzle-orm";
import type { z } from "zod";
import type { Database } from "@/db/client";
import { auditEntries, channelKeys, channels } from "@/db/schema";
import { readAuditRows } from "@/lib/audit/row-queries";
import type { AuditRow } from "@/lib/audit/types";
import { nowSeconds } from "@/lib/clock";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { escapeLike, offsetOf, type Page } from "@/lib/page";
import { channelTypes } from "@/lib/provider-catalogue";
import { CHANNEL_STATUS } from "@/lib/row-status";
import { readChannel, type SnapshotChannel } from "@/lib/snapshot/build";
import { parseInput } from "@/lib/validation";
import { type BulkTarget, bulkTargetSchema } from "./bulk-schemas";
import { fingerprintOf } from "./fingerprint";
import {
  type ChannelFilter,
  type ChannelSearch,
  channelSearchSchema,
  TRAFFIC_SORTS,
  type TrafficSort,
} from "./schemas";
import { trafficFigure } from "./traffic-figure-queries";
import type { Channel, ChannelOtherInfo } from "./types";

const ROWS_SHOWN = 15;

/** Who changed a channel and what, newest first. For administrators; the whole audit log is for root only. */
export async function listChannelChanges(ctx: ServiceContext, channelId: number): Promise<AuditRow[]> {
  requireRole(ctx, ROLE.admin);
  return readAuditRows(ctx.db, eq(auditEntries.subject, `channel:${channelId}`), ROWS_SHOWN);
}

export const channelFields = {
  id: channels.id,
  type: channels.type,
  keyFingerprint: channels.keyFingerprint,
  openaiOrganization: channels.openaiOrganization,
  testModel: channels.testModel,
  status: channels.status,
  name: channels.name,
  weight: channels.weight,
  priority: channels.priority,
  createdTime: channels.createdTime,
  testTime: channels.testTime,
  testError: channels.testError,
  responseTime: channels.responseTime,
  baseUrl: channels.baseUrl,
  other: channels.other,
  balance: channels.balance,
  balanceUpdatedTime: channels.balanceUpdatedTime,
  models: channels.models,
  group: channels.group,
  usedQuota: channels.usedQuota,
  modelMapping: channels.modelMapping,
  statusCodeMapping: channels.statusCodeMapping,
  autoBan: channels.autoBan,
  otherInfo: sql<ChannelOtherInfo>`${channels.otherInfo}`,
  tag: channels.tag,
  setting: channels.setting,
  paramOverride: channels.paramOverride,
  requestsPerMinute: channels.requestsPerMinute,
  tokensPerMinute: channels.tokensPerMinute,
  concurrencyLimit: channels.concurrencyLimit,
  privateAllowed: channels.privateAllowed,
};

const SORT_COLUMNS = {
  priority: channels.priority,
  id: channels.id,
  name: channels.name,
  type: channels.type,
  status: channels.status,
  createdTime: channels.createdTime,
  weight: channels.weight,
  usedQuota: channels.usedQuota,
  balance: channels.balance,
  responseTime: channels.responseTime,
  testTime: channels.testTime,
} as const;

export type ParsedSearch = z.output<typeof channelSearchSchema>;

/** One page of channels. In tag mode: all members of one page of tags, followed by channels without a tag. */
export async function listChannels(ctx: ServiceContext, input: ChannelSearch = {}): Promise<Page<Channel>> {
  requireRole(ctx, ROLE.admin);
  const search = parseInput(channelSearchSchema, input);
  const by = await orderOf(ctx, search);
  return search.tagMode ? listByTag(ctx.db, search, by) : listPlain(ctx.db, search, by);
}

/** Throws not_found. */
export async function getChannel(ctx: ServiceContext, id: number): Promise<Channel> {
  requireRole(ctx, ROLE.admin);
  const [row] = await ctx.db.select(channelFields).from(channels).where(eq(channels.id, id));
  if (!row) throw new AppError("not_found", "channelNotFound");
  return row;
}

/**
 * A channel as the relay uses it, with its key; use it only for a request to the upstream. `keyId` selects one of
 * several keys, whatever its state. Throws not_found.
 */
export async function readRelayChannel(ctx: ServiceContext, id: number, keyId?: number): Promise<SnapshotChannel> {
  requireRole(ctx, ROLE.admin);
  const keyFields = { id: channelKeys.id, keyCipher: channelKeys.keyCipher, status: channelKeys.status };
  const [[row], keys] = await Promise.all([
    ctx.db
      .select({ ...channelFields, keyCipher: channels.keyCipher })
      .from(channels)
      .where(eq(channels.id, id)),
    ctx.db.select(keyFields).from(channelKeys).where(eq(channelKeys.channelId, id)).orderBy(channelKeys.id),
  ]);
  if (!row) throw new AppError("not_found", "channelNotFound");
  const meant = keyId === undefined ? keys : keys.filter((key) => key.id === keyId);
  if (keyId !== undefined && meant.length === 0) throw new AppError("not_found", "channelKeyNotFound");
  return readChannel({ ...row, keys: meant });
}

/** Types without a conversation endpoint that a test could call (contract §4.10). */
const untestable = [...channelTypes.values()].filter(({ test }) => test === null).map(({ id }) => id);

/** Ids of the channels for a test run: all except those disabled by hand or tested in the last `untestedSeconds`. */
export async function listTestableChannelIds(ctx: ServiceContext, untestedSeconds = 0): Promise<number[]> {
  requireRole(ctx, ROLE.admin);
  const isOn = ne(channels.status, CHANNEL_STATUS.disabled);
  const isDue = untestedSeconds === 0 ? undefined : lte(channels.testTime, nowSeconds() - untestedSeconds);
  const rows = await ctx.db
    .select({ id: channels.id })
    .from(channels)
    .where(and(isOn, isDue, notInArray(channels.type, untestable)))
    .orderBy(asc(channels.id));
  return rows.map(({ id }) => id);
}

/** Ids of the selected channels that can be tested, whatever their state. */
export async function listChosenIds(ctx: ServiceContext, target: BulkTarget): Promise<number[]> {
  requireRole(ctx, ROLE.admin);
  const chosen = parseInput(bulkTargetSchema, target);
  const meant = "ids" in chosen ? inArray(channels.id, chosen.ids) : filterChannels(chosen.filter);
  const rows = await ctx.db
    .select({ id: channels.id })
    .from(channels)
    .where(and(meant, notInArray(channels.type, untestable)))
    .orderBy(asc(channels.id));
  return rows.map(({ id }) => id);
}

async function listPlain(db: Database, search: ParsedSearch, by: SQL[]): Promise<Page<Channel>> {
  const conditions = filterChannels(search);
  const [items, total] = await Promise.all([
    db
      .select(channelFields)
      .from(channels)
      .where(conditions)
      .orderBy(...by)
      .limit(search.pageSize)
      .offset(offsetOf(search)),
    db.$count(channels, conditions),
  ]);
  return { items, total, page: search.page, pageSize: search.pageSize };
}

async function listByTag(db: Database, search: ParsedSearch, by: SQL[]): Promise<Page<Channel>> {
  const { units, total } = await listUnits(db, search, by);
  const items =
    units.length === 0
      ? []
      : await db
          .select(channelFields)
          .from(channels)
          .where(inUnits(units))
          .orderBy(sql`${channels.tag} nulls last`, ...by);
  return { items, total, page: search.page, pageSize: search.pageSize };
}

/** What a page counts in tag mode: a tag with all its members, or a channel without a tag. */
export type Unit = { tag: string } | { id: number };

/** One page of units with a matching channel: tags by name, then channels without a tag in the order of `by`. */
export async function listUnits(
  db: Database,
  search: ParsedSearch,
  by: SQL[],
): Promise<{ units: Unit[]; total: number }> {
  const conditions = filterChannels(search);
  const isUntagged = and(conditions, isNull(channels.tag));
  const [tags, untagged] = await Promise.all([
    db
      .selectDistinct({ tag: channels.tag })
      .from(channels)
      .where(and(conditions, isNotNull(channels.tag)))
      .orderBy(channels.tag),
    db.$count(channels, isUntagged),
  ]);
  const from = offsetOf(search);
  const units: Unit[] = tags.slice(from, from + search.pageSize).flatMap(({ tag }) => (tag === null ? [] : [{ tag }]));
  const rest = search.pageSize - units.length;
  if (rest > 0 && untagged > 0) {
    const rows = await db
      .select({ id: channels.id })
      .from(channels)
      .where(isUntagged)
      .orderBy(...by)
      .limit(rest)
      .offset(Math.max(0, from - tags.length));
    units.push(...rows);
  }
  return { units, total: tags.length + untagged };
}

function inUnits(units: readonly Unit[]): SQL | undefined {
  const tags = units.flatMap((unit) => ("tag" in unit ? [unit.tag] : []));
  const ids = units.flatMap((unit) => ("id" in unit ? [unit.id] : []));
  return or(inArray(channels.tag, tags), inArray(channels.id, ids));
}

/** The condition for the filtered rows; undefined without a filter. */
export function filterChannels(filter: ChannelFilter): SQL | undefined {
  const { keyword, keywordIn, baseUrl, model, groups, statuses, types, tags } = filter;
  return and(
    keyword === "" ? undefined : matchesKeyword(keyword, keywordIn),
    baseUrl ? hasBaseUrl(baseUrl) : undefined,
    model === "" ? undefined : sql`lower(${channels.models}) like ${`%${escapeLike(model.toLowerCase())}%`}`,
    groups.length === 0 ? undefined : sql`string_to_array(${channels.group}, ',') && ${sql.param(groups)}::text[]`,
    statuses.length === 0 ? undefined : inArray(channels.status, statuses),
    types.length === 0 ? undefined : inArray(channels.type, types),
    tags.length === 0
      ? undefined
      : or(inArray(channels.tag, tags), tags.includes("") ? isNull(channels.tag) : undefined),
  );
}

function hasBaseUrl(part: string): SQL {
  return sql`lower(${channels.baseUrl}) like ${`%${escapeLike(part.toLowerCase())}%`}`;
}

/** A key is searched by fingerprint, so only the whole key finds its channel. */
function matchesKeyword(keyword: string, within: ChannelFilter["keywordIn"]): SQL | undefined {
  const pattern = `%${escapeLike(keyword.toLowerCase())}%`;
  const fingerprint = fingerprintOf(keyword);
  return or(
    /^\d{1,9}$/.test(keyword) ? eq(channels.id, Number(keyword)) : undefined,
    sql`lower(${channels.name}) like ${pattern}`,
    within === "identity" ? undefined : hasBaseUrl(keyword),
    eq(channels.keyFingerprint, fingerprint),
    sql`${channels.id} = any(array(select channel_id from channel_keys where fingerprint = ${fingerprint}))`,
  );
}

/** The list's order, with the id as tie-breaker in the same direction, so that one index serves both directions. */
export async function orderOf(
  ctx: ServiceContext,
  { sort, descending }: Pick<ParsedSearch, "sort" | "descending">,
): Promise<SQL[]> {
  const inOrder = descending ? desc : asc;
  if (sort === "id") return [inOrder(channels.id)];
  if (!isTrafficSort(sort)) return [inOrder(SORT_COLUMNS[sort]), inOrder(channels.id)];
  const figure = await trafficFigure(ctx, sort);
  return [descending ? sql`${figure} desc nulls last` : sql`${figure} asc nulls last`, inOrder(channels.id)];
}

const isTrafficSort = (sort: ParsedSearch["sort"]): sort is TrafficSort =>
  TRAFFIC_SORTS.some((known) => known === sort);
