import { inArray, sql } from "drizzle-orm";
import type { Database } from "@/db/client";
import { channels, usageLogs } from "@/db/schema";
import { nowSeconds } from "@/lib/clock";
import { type BothParts, namedHere, readBothWith, type StoredPart } from "@/lib/log-store/both-queries";
import { literal } from "@/lib/log-store/clickhouse/escape";
import type { ReadableStore } from "@/lib/log-store/store";
import { escapeLike } from "@/lib/page";
import { groupFailuresOfBoth } from "./both-failure-queries";
import type { UsageLog } from "./columns";
import { postgresSource } from "./postgres-source-queries";
import type { Asked, Counted, LogSource, Place, Sums } from "./source-types";
import { modelsNoted, type Narrowed, narrowed } from "./stored-hours-queries";
import { newestPlaces, placesOf, rowsAt, rowsOf, type StoredPlace, timeOfNewest } from "./stored-rows-queries";

type Parts = BothParts<Database>;
type Newest = Narrowed & { limit: number; offset?: number; before?: Place | null };

/** The log while a log store is in use: what ClickHouse has, and what is still in PostgreSQL. */
export function bothSource(db: Database, store: ReadableStore): LogSource {
  const both = <Result>(asked: Asked, run: (parts: Parts, narrowed: Narrowed) => Promise<Result>) =>
    readBothWith(store, db, async (parts) => run(parts, await narrowed(parts.stored, asked)), asked.from ?? 0);
  return {
    newest: ({ limit, offset = 0, before, ...asked }) =>
      both(asked, (parts, there) =>
        newestOf(parts, { ...there, limit, offset, ...(before === undefined ? {} : { before }) }),
      ),
    count: (asked, max) => both(asked, (parts, there) => countOf(parts, there, max)),
    page: ({ max, limit, offset, ...asked }) =>
      both(asked, (parts, there) => pageOf(parts, { ...there, limit, offset }, max)),
    countByTime: (asked, step, unit) => both(asked, (parts, there) => countByTime(parts, there, step, unit)),
    sum: (asked) => both(asked, sumOf),
    groupFailures: (asked, terms) => both(asked, (parts, there) => groupFailuresOfBoth(parts, there, terms)),
    search: (asked, terms) => both(asked, (parts, there) => searchIn(parts, there, terms)),
    oldest: (asked) => both(asked, oldestOf),
    models: (like) => readBothWith(store, db, (parts) => modelsOf(parts, like)),
  };
}

const hereOf = (parts: Parts) => postgresSource(parts.connection, namedHere(parts));

async function newestOf(parts: Parts, { limit, offset = 0, before, ...asked }: Newest): Promise<UsageLog[]> {
  const span = before === undefined ? {} : { before };
  const here = await hereOf(parts).newest({ ...asked, ...span, limit: offset + limit });
  const isAllThere = here.length === 0;
  const places = await newestPlaces(parts.stored, nowSeconds(), {
    ...asked,
    ...span,
    ...(isAllThere ? { limit, offset } : { limit: offset + limit }),
  });
  if (isAllThere) return withNames(parts.connection, await rowsAt(parts.stored, places));
  return chosenOf(parts, here, places, { limit, offset });
}

/** Of rows that are here and places that are not, those of a page. Only the rows on it are fetched. */
async function chosenOf(
  parts: Parts,
  here: readonly UsageLog[],
  there: readonly StoredPlace[],
  { limit, offset }: { limit: number; offset: number },
): Promise<UsageLog[]> {
  const known = new Map(here.map((row) => [keyOf(row), row]));
  const places: StoredPlace[] = [...here, ...there].sort(newestFirst).slice(offset, offset + limit);
  const missing = places.filter((place) => !known.has(keyOf(place)));
  const fetched = missing.length === 0 ? [] : await rowsAt(parts.stored, missing);
  for (const row of await withNames(parts.connection, fetched)) known.set(keyOf(row), row);
  return places.flatMap((place) => known.get(keyOf(place)) ?? []);
}

const keyOf = ({ createdAt, id }: Place) => `${createdAt} ${id}`;
const newestFirst = (a: Place, b: Place) => b.createdAt - a.createdAt || b.id - a.id;

/** Channels are in PostgreSQL, under the names that they have now. */
async function withNames(db: Database, rows: UsageLog[]): Promise<UsageLog[]> {
  const ids = [...new Set(rows.map(({ channelId }) => channelId))].filter((id) => id > 0);
  if (ids.length === 0) return rows;
  const found = await db
    .select({ id: channels.id, name: channels.name })
    .from(channels)
    .where(inArray(channels.id, ids));
  const names = new Map(found.map(({ id, name }) => [id, name]));
  return rows.map((row) => ({ ...row, channelName: names.get(row.channelId) ?? "" }));
}

async function pageOf(parts: Parts, asked: Newest, max: number): Promise<{ rows: UsageLog[]; total: number }> {
  const [rows, total] = await Promise.all([newestOf(parts, asked), countOf(parts, asked, max)]);
  return { rows, total };
}

async function countOf(parts: Parts, asked: Narrowed, max: number): Promise<number> {
  const { stored } = parts;
  const [here, there] = await Promise.all([
    hereOf(parts).count(asked, max),
    stored.query<{ count: string }>(
      `select count() as count from (select 1 from ${placesOf(stored, asked)} limit ${max})`,
    ),
  ]);
  return Math.min(max, here + Number(there[0]?.count ?? 0));
}

async function countByTime(parts: Parts, asked: Narrowed, step: number, unit: "rows" | "requests"): Promise<Counted[]> {
  const count = unit === "rows" ? "count()" : "sum(1 + repeats)";
  const [here, there] = await Promise.all([
    hereOf(parts).countByTime(asked, step, unit),
    parts.stored.query<{ at: string; count: string }>(
      `select intDiv(created_at, ${step}) * ${step} as at, ${count} as count from ${placesOf(parts.stored, asked)} group by at`,
    ),
  ]);
  return [...here, ...there.map((row) => ({ at: Number(row.at), count: Number(row.count) }))];
}

async function sumOf(parts: Parts, asked: Narrowed): Promise<Sums> {
  const [here, [there]] = await Promise.all([
    hereOf(parts).sum(asked),
    parts.stored.query<Record<keyof Sums, string>>(
      `select sum(quota) as quota, count() as count, sum(toInt64(prompt_tokens) + completion_tokens) as tokens
      from (select quota, prompt_tokens, completion_tokens from ${rowsOf(parts.stored, asked)})`,
    ),
  ]);
  return {
    quota: here.quota + Number(there?.quota ?? 0),
    count: here.count + Number(there?.count ?? 0),
    tokens: here.tokens + Number(there?.tokens ?? 0),
  };
}

async function searchIn(
  parts: Parts,
  asked: Narrowed,
  terms: { begins: string | null; among: number; limit: number },
): Promise<UsageLog[]> {
  const { begins, among, limit } = terms;
  const [here, there] = await Promise.all([
    hereOf(parts).search(asked, terms),
    begins === null
      ? newestPlaces(parts.stored, nowSeconds(), { ...asked, limit })
      : placesBeginning(parts.stored, asked, { begins, among, limit }),
  ]);
  return chosenOf(parts, here, there, { limit, offset: 0 });
}

async function placesBeginning(
  stored: StoredPart,
  asked: Narrowed,
  { begins, among, limit }: { begins: string; among: number; limit: number },
): Promise<Place[]> {
  const from = await timeOfNewest(stored, nowSeconds(), asked, among);
  const rows = await stored.query<{ created_at: string; id: string }>(`
    select created_at, id from (
      select created_at, id, content from ${rowsOf(stored, { ...asked, from })}
      order by created_at desc, id desc limit ${among}
    ) where content like ${literal(`${escapeLike(begins)}%`)}
    order by created_at desc, id desc limit 1 by created_at, id limit ${limit}`);
  return rows.map(({ created_at, id }) => ({ createdAt: Number(created_at), id: Number(id) }));
}

async function oldestOf(parts: Parts, asked: Narrowed): Promise<{ requestId: string; repeats: number } | null> {
  type First = { requestId: string; repeats: number; at: number };
  const [here, [there]] = await Promise.all([
    parts.connection
      .select({ requestId: usageLogs.requestId, repeats: usageLogs.repeats, at: usageLogs.createdAt })
      .from(namedHere(parts))
      .where(sql`${asked.isShown ? sql`not ${usageLogs.hidden}` : sql`true`} and ${asked.where ?? sql`true`}`)
      .orderBy(usageLogs.createdAt)
      .limit(1),
    parts.stored.query<Record<keyof First, string>>(`
      select request_id as requestId, repeats, created_at as at from ${rowsOf(parts.stored, asked)}
      order by created_at limit 1`),
  ]);
  const stored = there && { requestId: there.requestId, repeats: Number(there.repeats), at: Number(there.at) };
  const [first] = [...here, ...(stored ? [stored] : [])].sort((a, b) => a.at - b.at);
  return first ? { requestId: first.requestId, repeats: first.repeats } : null;
}

async function modelsOf(parts: Parts, like: string): Promise<string[]> {
  const [here, there] = await Promise.all([hereOf(parts).models(like), modelsNoted(parts.stored, like)]);
  return [...new Set([...here, ...there])].sort();
}
