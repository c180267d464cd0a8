import { type SQL, sql } from "drizzle-orm";
import type { Sql } from "@/db/client";
import { channels } from "@/db/schema";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { shareReading } from "@/lib/health/shared-reading";
import { readRecentTraffic } from "@/lib/health/traffic-queries";
import { readAvailable } from "@/lib/log-store/read-available";
import { TRAFFIC_SORTS, type TrafficSort } from "./schemas";

/** A figure of each channel's traffic in the last 24 hours, as an expression; null where there is not enough traffic. */
export async function trafficFigure(ctx: ServiceContext, sort: TrafficSort): Promise<SQL> {
  requireRole(ctx, ROLE.admin);
  const figures = await dayFigures(ctx);
  return sql`(${figures[sort]}::text::jsonb ->> ${channels.id}::text)::float8`;
}

/** By sort, the figures of all channels that have one, as JSON by channel. */
type DayFigures = Record<TrafficSort, string>;

const FRESH_MS = 60_000;
const readers = new WeakMap<Sql, (key: string) => Promise<DayFigures>>();

/**
 * Read at most once a minute by each process: summing a day of ten thousand channels takes a second or two, and the pages of one list
 * should have one order.
 */
function dayFigures(ctx: ServiceContext): Promise<DayFigures> {
  const known = readers.get(ctx.sql);
  if (known) return known("day");
  const made = shareReading(() => readDayFigures(ctx), { freshMs: FRESH_MS, max: 1 });
  readers.set(ctx.sql, made);
  return made("day");
}

async function readDayFigures(ctx: ServiceContext): Promise<DayFigures> {
  // While the log store is away the order is by what is known.
  const { result: traffic } = await readAvailable(() => readRecentTraffic(ctx, null));
  const figuresOf = (sort: TrafficSort) =>
    JSON.stringify(
      Object.fromEntries([...traffic].flatMap(([id, { day }]) => (day[sort] === null ? [] : [[id, day[sort]]]))),
    );
  return Object.fromEntries(TRAFFIC_SORTS.map((sort) => [sort, figuresOf(sort)])) as DayFigures;
}
