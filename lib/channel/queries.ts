import { and, asc, desc, eq, ilike, inArray, isNotNull, lte, ne, notInArray, or, type SQL, sql } from "drizzle-orm";
import type { z } from "zod";
import type { Database } from "@/db/client";
import { channelKeys, channels } from "@/db/schema";
import { nowSeconds } from "@/lib/clock";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { escapeLike, offsetOf, type Page } from "@/lib/page";
import { parseInput } from "@/lib/validation";
import { type ChannelSearch, channelSearchSchema } from "./schemas";
import { readChannel, type SnapshotChannel } from "./snapshot-build";
import { CHANNEL_STATUS, type Channel, type ChannelOtherInfo, UNTESTABLE_TYPES } from "./types";

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
};

const SORT_COLUMNS = {
  priority: channels.priority,
  id: channels.id,
  name: channels.name,
  weight: channels.weight,
  usedQuota: channels.usedQuota,
  balance: channels.balance,
  responseTime: channels.responseTime,
  testTime: channels.testTime,
} as const;

type ParsedSearch = z.output<typeof channelSearchSchema>;

/** One page of channels; in tag mode, all members of one page of tags and the number of tags as total. */
export async function listChannels(ctx: ServiceContext, input: ChannelSearch = {}): Promise<Page<Channel>> {
  requireRole(ctx, ROLE.admin);
  const search = parseInput(channelSearchSchema, input);
  return search.tagMode ? listByTag(ctx.db, search) : listPlain(ctx.db, search);
}

/** One channel. Throws not_found. */
export async function getChannel(ctx: ServiceContext, id: number): Promise<Channel> {
  requireRole(ctx, ROLE.admin);
  const [row] = await ctx.db.select(channelFields).from(channels).where(eq(channels.id, id));
  if (!row) throw new AppError("not_found", "channelNotFound");
  return row;
}

/**
 * A channel as the relay uses it, with its key, for a call to its upstream; the key goes nowhere else. With `keyId` the
 * one of several keys that is meant, whatever its state. Throws not_found.
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

/** Ids of the channels that a test run visits: all but those switched off by hand, or tested in the last seconds. */
export async function listTestableChannelIds(ctx: ServiceContext, untestedSeconds = 0): Promise<number[]> {
  requireRole(ctx, ROLE.admin);
  const isOn = ne(channels.status, CHANNEL_STATUS.disabled);
  const isDue = untestedSeconds === 0 ? undefined : lte(channels.testTime, nowSeconds() - untestedSeconds);
  const rows = await ctx.db
    .select({ id: channels.id })
    .from(channels)
    .where(and(isOn, isDue, notInArray(channels.type, [...UNTESTABLE_TYPES])))
    .orderBy(asc(channels.id));
  return rows.map(({ id }) => id);
}

async function listPlain(db: Database, search: ParsedSearch): Promise<Page<Channel>> {
  const conditions = filter(search);
  const [items, total] = await Promise.all([
    db
      .select(channelFields)
      .from(channels)
      .where(conditions)
      .orderBy(...order(search))
      .limit(search.pageSize)
      .offset(offsetOf(search)),
    db.$count(channels, conditions),
  ]);
  return { items, total, page: search.page, pageSize: search.pageSize };
}

async function listByTag(db: Database, search: ParsedSearch): Promise<Page<Channel>> {
  const conditions = and(filter(search), isNotNull(channels.tag));
  const tags = await db.selectDistinct({ tag: channels.tag }).from(channels).where(conditions).orderBy(channels.tag);
  const shown = tags.slice(offsetOf(search), offsetOf(search) + search.pageSize).flatMap(({ tag }) => tag ?? []);
  const items =
    shown.length === 0
      ? []
      : await db
          .select(channelFields)
          .from(channels)
          .where(inArray(channels.tag, shown))
          .orderBy(channels.tag, ...order(search));
  return { items, total: tags.length, page: search.page, pageSize: search.pageSize };
}

function filter(search: ParsedSearch): SQL | undefined {
  return and(
    search.keyword === "" ? undefined : matchesKeyword(search.keyword),
    search.model === "" ? undefined : ilike(channels.models, `%${escapeLike(search.model)}%`),
    search.group === undefined || search.group === ""
      ? undefined
      : sql`position(${`,${search.group},`} in ',' || ${channels.group} || ',') > 0`,
    search.status === undefined ? undefined : eq(channels.status, search.status),
    search.type === undefined ? undefined : eq(channels.type, search.type),
    search.tag === undefined ? undefined : eq(channels.tag, search.tag),
  );
}

function matchesKeyword(keyword: string): SQL | undefined {
  const pattern = `%${escapeLike(keyword)}%`;
  return or(
    /^\d{1,9}$/.test(keyword) ? eq(channels.id, Number(keyword)) : undefined,
    ilike(channels.name, pattern),
    ilike(channels.baseUrl, pattern),
  );
}

function order(search: ParsedSearch): SQL[] {
  const column = SORT_COLUMNS[search.sort];
  const byId = desc(channels.id);
  return search.sort === "id"
    ? [search.descending ? byId : asc(channels.id)]
    : [search.descending ? desc(column) : asc(column), byId];
}
