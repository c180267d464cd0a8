import { desc, eq, gte, isNull, or } from "drizzle-orm";
import type { Sql } from "@/db/client";
import { channels, statusIncidents } from "@/db/schema";
import { nowSeconds } from "@/lib/clock";
import { ROLE, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { modelSums } from "@/lib/health/live-sums-queries";
import { liveHoursFrom } from "@/lib/health/model-queries";
import { shareReading } from "@/lib/health/shared-reading";
import { readAvailable } from "@/lib/log-store/read-available";
import { loadOptions } from "@/lib/option/queries";
import { listPrices } from "@/lib/pricing/queries";
import { CHANNEL_STATUS } from "@/lib/row-status";
import type { Condition, Incident, IncidentState, StatusEntry, StatusPage } from "./types";

/** With fewer requests nothing is said. */
const REQUESTS_MIN = 5;
const UP_MIN = 0.98;
const DEGRADED_MIN = 0.5;

type Sums = { succeeded: number; failed: number };

/** The share of requests that were answered, from 0 to 1; null = too few to say. */
function uptimeOf({ succeeded, failed }: Sums): number | null {
  return succeeded + failed < REQUESTS_MIN ? null : succeeded / (succeeded + failed);
}

export function conditionOf(sums: Sums): Condition {
  const uptime = uptimeOf(sums);
  if (uptime === null) return "unknown";
  if (uptime >= UP_MIN) return "up";
  return uptime >= DEGRADED_MIN ? "degraded" : "down";
}

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 24 * HOUR_SECONDS;
export const STATUS_DAYS = 90;
/** "Now" is this hour and the one before. */
const NOW_HOURS = 1;
/** Models shown one by one where the operator names no groups. */
const ENTRIES_MAX = 100;
const INCIDENTS_MAX = 50;
const FRESH_MS = 60_000;

type Reader = (key: string) => Promise<StatusPage>;
const readers = new WeakMap<Sql, Reader>();

/**
 * The public status page; the same for everybody, and read at most once a minute however many ask. Administrators edit the
 * incidents, so for them these are read anew: another process may have changed them. Throws not_found while the page is off.
 */
export async function getStatusPage(ctx: ServiceContext, isOn: boolean): Promise<StatusPage> {
  if (!isOn) throw new AppError("not_found", "statusPageOff");
  let reader = readers.get(ctx.sql);
  if (!reader) {
    // Shared by all visitors, so it is read as for one without an account.
    const visitor: ServiceContext = { ...ctx, actor: { type: "anonymous" }, clientIp: "" };
    const read = async () => (await readAvailable(() => readStatusPage(visitor))).result;
    reader = shareReading(read, { freshMs: FRESH_MS, max: 1 });
    readers.set(ctx.sql, reader);
  }
  const page = await reader("page");
  const canEdit = ctx.actor.type === "user" && ctx.actor.role >= ROLE.admin;
  return canEdit ? { ...page, canEdit, incidents: await listIncidents(ctx, nowSeconds()) } : page;
}

/** Lets this process show a change at once. */
export function forgetStatusPage(sql: Sql): void {
  readers.delete(sql);
}

async function readStatusPage(ctx: ServiceContext): Promise<StatusPage> {
  const now = nowSeconds();
  const today = now - (now % DAY_SECONDS);
  const days = Array.from({ length: STATUS_DAYS }, (_, at) => today - (STATUS_DAYS - 1 - at) * DAY_SECONDS);
  const [groups, served, incidents] = await Promise.all([listGroups(ctx), listServed(ctx), listIncidents(ctx, now)]);
  const rows = await readDays(ctx.sql, [...new Set(groups.flatMap(({ models }) => models))], days[0] ?? today, now + 1);
  const entries = groups.map(({ name, models }): StatusEntry => {
    const own = rows.filter(({ model }) => models.includes(model));
    const isServed = models.some((model) => served.has(model));
    const byDay = days.map((day) => ({ day, sums: add(own.filter((row) => row.day === day)) }));
    return {
      name,
      now: isServed
        ? conditionOf(add(own.map(({ nowSucceeded, nowFailed }) => ({ succeeded: nowSucceeded, failed: nowFailed }))))
        : "down",
      days: byDay.map(({ day, sums }) => ({ day, condition: conditionOf(sums), uptime: uptimeOf(sums) })),
      uptime: uptimeOf(add(own)),
    };
  });
  return { entries, incidents, canEdit: false, readAt: now };
}

const add = (rows: readonly Sums[]): Sums =>
  rows.reduce((sum, row) => ({ succeeded: sum.succeeded + row.succeeded, failed: sum.failed + row.failed }), {
    succeeded: 0,
    failed: 0,
  });

/** The operator's groups, else each model of the public price list. */
async function listGroups(ctx: ServiceContext): Promise<{ name: string; models: readonly string[] }[]> {
  const { StatusPageGroups: groups } = await loadOptions(ctx.db);
  const named = Object.entries(groups).map(([name, models]) => ({ name, models }));
  if (named.length > 0) return named;
  const { models } = await listPrices(ctx);
  return models
    .filter((model) => model.groups.length > 0)
    .slice(0, ENTRIES_MAX)
    .map(({ modelName }) => ({ name: modelName, models: [modelName] }));
}

/** Models of enabled channels. */
async function listServed({ db }: ServiceContext): Promise<Set<string>> {
  const rows = await db
    .selectDistinct({ models: channels.models })
    .from(channels)
    .where(eq(channels.status, CHANNEL_STATUS.enabled));
  return new Set(rows.flatMap(({ models }) => models.split(",")));
}

type DayRow = Sums & { model: string; day: number; nowSucceeded: number; nowFailed: number };

async function readDays(sql: Sql, models: string[], from: number, until: number): Promise<DayRow[]> {
  const liveFrom = await liveHoursFrom(sql, from, until);
  const nowFrom = until - (until % HOUR_SECONDS) - NOW_HOURS * HOUR_SECONDS;
  const live = await modelSums(sql, liveFrom, until, models);
  return sql.unsafe<DayRow[]>(
    `select model_name as model, hour - hour % ${DAY_SECONDS} as day, sum(succeeded)::bigint as succeeded,
      sum(failed)::bigint as failed,
      coalesce(sum(succeeded) filter (where hour >= $5::bigint), 0)::bigint as "nowSucceeded",
      coalesce(sum(failed) filter (where hour >= $5::bigint), 0)::bigint as "nowFailed"
    from (
      select hour, model_name, succeeded, failed from model_hourly
      where model_name = any($3::text[]) and hour >= $4::bigint and hour < $6::bigint
      union all
      select hour, model_name, succeeded, failed from (${live.text}) live
    ) hours
    group by 1, 2`,
    [...live.parameters, models, from, nowFrom, liveFrom],
  );
}

/** What goes on or began within the window, newest first. */
async function listIncidents({ db }: ServiceContext, now: number): Promise<Incident[]> {
  const rows = await db
    .select({
      id: statusIncidents.id,
      titleEn: statusIncidents.titleEn,
      titleZh: statusIncidents.titleZh,
      textEn: statusIncidents.textEn,
      textZh: statusIncidents.textZh,
      state: statusIncidents.state,
      startedAt: statusIncidents.startedAt,
      resolvedAt: statusIncidents.resolvedAt,
    })
    .from(statusIncidents)
    .where(or(isNull(statusIncidents.resolvedAt), gte(statusIncidents.startedAt, now - STATUS_DAYS * DAY_SECONDS)))
    .orderBy(desc(statusIncidents.startedAt), desc(statusIncidents.id))
    .limit(INCIDENTS_MAX);
  return rows.map((row) => ({ ...row, state: row.state as IncidentState }));
}
