import { type SQL, sql } from "drizzle-orm";
import type { Sql } from "@/db/client";
import { channels } from "@/db/schema";
import { nowSeconds } from "@/lib/clock";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
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

const FIGURES_SECONDS = 60;
const knownFigures = new WeakMap<Sql, { until: number; read: Promise<DayFigures> }>();

/**
 * Read at most once a minute: summing a day of ten thousand channels takes a second or two, and the pages of one list should have
 * one order.
 */
function dayFigures(ctx: ServiceContext): Promise<DayFigures> {
  const known = knownFigures.get(ctx.sql);
  if (known && nowSeconds() < known.until) return known.read;
  const read = readDayFigures(ctx);
  knownFigures.set(ctx.sql, { until: nowSeconds() + FIGURES_SECONDS, read });
  read.catch(() => knownFigures.delete(ctx.sql));
  return read;
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
