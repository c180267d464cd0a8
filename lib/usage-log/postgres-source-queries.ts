import { and, asc, desc, eq, lte, type SQL, Subquery, sql } from "drizzle-orm";
import type { Database } from "@/db/client";
import { channels, usageLogs } from "@/db/schema";
import { escapeLike } from "@/lib/page";
import { LOG_COLUMN_LIST, type LogField, type UsageLog } from "./columns";
import type { Asked, Counted, FailureReading, LogSource, Place, Sums } from "./source-types";

type StoredField = Exclude<LogField, "channelName" | "other">;
type Table = typeof usageLogs;

/** The source of each field of a row. The query must join the channel. */
const logFields = {
  ...(Object.fromEntries(
    LOG_COLUMN_LIST.flatMap(({ field }) =>
      field === "channelName" || field === "other" ? [] : [[field, usageLogs[field]]],
    ),
  ) as Pick<typeof usageLogs, StoredField>),
  channelName: sql<string>`coalesce(${channels.name}, '')`,
  other: sql<Record<string, unknown>>`${usageLogs.other}`,
};

const NEWEST_FIRST = [desc(usageLogs.createdAt), desc(usageLogs.id)];

/**
 * The log in PostgreSQL. `logs`: a relation with the columns of usage_logs and its name, if it is not the table itself.
 */
export function postgresSource(db: Database, logs?: Subquery): LogSource {
  // The relation has the table's name and columns.
  const table = (logs ?? usageLogs) as Table;
  const newest: LogSource["newest"] = ({ before, ...asked }) => {
    const { limit, offset = 0 } = asked;
    const where = before ? and(asked.where, beyond(before)) : asked.where;
    const either = before ? asked.either?.map((one) => and(one, beyond(before))) : asked.either;
    const latest = sql`order by ${sql.join(NEWEST_FIRST, sql`, `)} limit ${limit + offset}`;
    const read = readOf(table, { ...asked, where, ...(either && { either }) }, latest);
    return selectNewest(db, read.table, { ...asked, ...read.asked });
  };
  const count: LogSource["count"] = (asked, max) => {
    const read = readOf(table, asked, sql`limit ${max}`);
    return countUpTo(db, read.table, read.asked, max);
  };
  return {
    newest,
    count,
    async page({ max, ...asked }) {
      const [rows, total] = await Promise.all([newest(asked), count(asked, max)]);
      return { rows, total };
    },
    countByTime: (asked, step, unit) => countByTime(db, table, asked, { step, unit }),
    sum: (asked) => sum(db, table, asked),
    groupFailures: (asked, terms) => groupFailures(db, table, asked, terms),
    search: (asked, terms) => search(db, table, asked, terms),
    async oldest(asked) {
      const [row] = await db
        .select({ requestId: usageLogs.requestId, repeats: usageLogs.repeats })
        .from(table)
        .where(conditionOf(asked))
        .orderBy(asc(usageLogs.createdAt))
        .limit(1);
      return row ?? null;
    },
    models: (like) => listModels(db, sql`${logs ?? usageLogs}`, like),
  };
}

/**
 * Where to read what is asked for, and what is left to ask there: the rows of each condition with an order and a limit of its own, as the
 * planner takes a rare value for a frequent one where either is asked for at once.
 */
function readOf(table: Table, asked: Asked, ofEach: SQL): { table: Table; asked: Asked } {
  const { either, isShown } = asked;
  if (!either || table !== usageLogs) return { table, asked };
  const parts = either.map(
    (where) => sql`(select * from ${usageLogs} where ${conditionOf({ where, isShown })} ${ofEach})`,
  );
  const relation = new Subquery(sql`(${sql.join(parts, sql` union all `)})`, {}, "usage_logs");
  return { table: relation as unknown as Table, asked: { where: undefined, isShown: false } };
}

function conditionOf({ where, isShown }: Asked): SQL | undefined {
  // Not a parameter: the partial indexes exclude hidden rows, and the planner uses them only for a literal condition.
  return isShown ? and(sql`not ${usageLogs.hidden}`, where) : where;
}

function selectNewest(
  db: Database,
  table: Table,
  { limit, offset, ...asked }: Asked & { limit: number; offset?: number },
): Promise<UsageLog[]> {
  const query = db
    .select(logFields)
    .from(table)
    .leftJoin(channels, eq(channels.id, usageLogs.channelId))
    .where(conditionOf(asked))
    .orderBy(...NEWEST_FIRST)
    .limit(limit);
  return offset === undefined ? query : query.offset(offset);
}

/** The row comparison alone would read every partition; only the plain condition allows partition pruning. */
function beyond({ createdAt, id }: Place): SQL | undefined {
  return and(
    lte(usageLogs.createdAt, createdAt),
    sql`(${usageLogs.createdAt}, ${usageLogs.id}) < (${createdAt}::bigint, ${id}::bigint)`,
  );
}

async function countUpTo(db: Database, table: Table, asked: Asked, max: number): Promise<number> {
  const [row] = await db
    .select({ total: sql<number>`count(*)::int` })
    .from(db.select({ one: sql`1` }).from(table).where(conditionOf(asked)).limit(max).as("counted"));
  return row?.total ?? 0;
}

/** The step is no parameter: the same expression is grouped by. */
async function countByTime(
  db: Database,
  table: Table,
  asked: Asked,
  { step, unit }: { step: number; unit: "rows" | "requests" },
): Promise<Counted[]> {
  const at = sql<number>`${usageLogs.createdAt} - ${usageLogs.createdAt} % ${sql.raw(String(step))}`.mapWith(Number);
  const count =
    unit === "rows" ? sql<number>`count(*)::int` : sql<number>`sum(1 + ${usageLogs.repeats})::bigint`.mapWith(Number);
  return db.select({ at, count }).from(table).where(conditionOf(asked)).groupBy(sql`1`);
}

async function sum(db: Database, table: Table, asked: Asked): Promise<Sums> {
  const [row] = await db
    .select({
      quota: sql<number>`coalesce(sum(${usageLogs.quota}), 0)::bigint`.mapWith(Number),
      count: sql<number>`count(*)::int`,
      tokens: sql<number>`coalesce(sum(${usageLogs.promptTokens} + ${usageLogs.completionTokens}), 0)::bigint`.mapWith(
        Number,
      ),
    })
    .from(table)
    .where(conditionOf(asked));
  return row ?? { quota: 0, count: 0, tokens: 0 };
}

/** Reads the index of failed requests alone. */
async function groupFailures(
  db: Database,
  table: Table,
  asked: Asked,
  { byChannel, newest: newestMax, limit }: { byChannel: boolean; newest: number; limit: number },
): Promise<FailureReading> {
  const channelId = byChannel ? sql<number>`${usageLogs.channelId}` : sql<number>`0`;
  const newest = db
    .select({
      createdAt: usageLogs.createdAt,
      code: usageLogs.errorCode,
      cause: usageLogs.errorCause,
      status: usageLogs.statusCode,
      channelId: channelId.as("channel"),
      model: usageLogs.modelName,
      userId: usageLogs.userId,
      repeats: usageLogs.repeats,
    })
    .from(table)
    .where(conditionOf(asked))
    .orderBy(...NEWEST_FIRST)
    .limit(newestMax)
    .as("newest");
  const { code, cause, status, channelId: channel, model, userId } = newest;
  // By user first: counting different users in one step would sort all rows, which takes twice as long.
  const perUser = db
    .select({
      code,
      cause,
      status,
      channelId: channel,
      model,
      userId,
      requests: sql<number>`sum(1 + ${newest.repeats})::bigint`.as("requests"),
      rows: sql<number>`count(*)`.as("rows"),
      firstAt: sql<number>`min(${newest.createdAt})`.as("first_at"),
      lastAt: sql<number>`max(${newest.createdAt})`.as("last_at"),
    })
    .from(newest)
    .groupBy(code, cause, status, channel, model, userId)
    .as("per_user");
  const count = sql<number>`sum(${perUser.requests})::bigint`.mapWith(Number);
  const lastAt = sql<number>`max(${perUser.lastAt})`.mapWith(Number);
  const rows = await db
    .select({
      code: perUser.code,
      cause: perUser.cause,
      status: sql<number>`${perUser.status}`,
      channelId: perUser.channelId,
      model: perUser.model,
      count,
      users: sql<number>`count(*)::int`,
      firstAt: sql<number>`min(${perUser.firstAt})`.mapWith(Number),
      lastAt,
      read: sql<number>`(sum(sum(${perUser.rows})) over ())::int`,
    })
    .from(perUser)
    .groupBy(perUser.code, perUser.cause, perUser.status, perUser.channelId, perUser.model)
    .orderBy(desc(count), desc(lastAt))
    .limit(limit + 1);
  const isPart = rows.length > limit || (rows[0]?.read ?? 0) >= newestMax;
  return { groups: rows.slice(0, limit).map(({ read: _, ...group }) => group), isPart };
}

async function search(
  db: Database,
  table: Table,
  asked: Asked,
  { begins, among, limit }: { begins: string | null; among: number; limit: number },
): Promise<UsageLog[]> {
  const recent = db
    .select({ id: usageLogs.id, createdAt: usageLogs.createdAt })
    .from(table)
    .where(conditionOf(asked))
    .orderBy(...NEWEST_FIRST)
    .limit(among)
    .as("recent");
  return db
    .select(logFields)
    .from(recent)
    .innerJoin(table, and(eq(usageLogs.id, recent.id), eq(usageLogs.createdAt, recent.createdAt)))
    .leftJoin(channels, eq(channels.id, usageLogs.channelId))
    .where(begins === null ? undefined : sql`${usageLogs.content} like ${`${escapeLike(begins)}%`}`)
    .orderBy(...NEWEST_FIRST)
    .limit(limit);
}

/** There are few models among many rows, so each is found by one index lookup. */
async function listModels(db: Database, logs: SQL, like: string): Promise<string[]> {
  const rows = await db.execute<{ model: string }>(sql`
    with recursive step as (
      (select model_name as model from ${logs} where not hidden order by 1 limit 1)
      union all
      select (select model_name from ${logs} where not hidden and model_name > step.model order by 1 limit 1)
      from step where step.model is not null
    )
    select model from step where model like ${like}`);
  return rows.map(({ model }) => model);
}
