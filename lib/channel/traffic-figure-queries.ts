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
 * Read at most once a minute by each process: summing a day of ten thousand channels takes a second or two, and the pages of one list
 * should have one order. What lacks rows, as the log store is away, is not kept.
 */
function dayFigures(ctx: ServiceContext): Promise<DayFigures> {
  const known = knownFigures.get(ctx.sql);
  if (known && nowSeconds() < known.until) return known.read;
  const reading = readDayFigures(ctx);
  const entry = { until: Number.POSITIVE_INFINITY, read: reading.then(({ figures }) => figures) };
  knownFigures.set(ctx.sql, entry);
  reading.then(
    ({ isWhole }) => {
      entry.until = isWhole ? nowSeconds() + FIGURES_SECONDS : 0;
    },
    () => {
      entry.until = 0;
    },
  );
  return entry.read;
}

async function readDayFigures(ctx: ServiceContext): Promise<{ figures: DayFigures; isWhole: boolean }> {
  // While the log store is away the order is by what is known.
  const { result: traffic, missing } = await readAvailable(() => readRecentTraffic(ctx, null));
  const figuresOf = (sort: TrafficSort) =>
    JSON.stringify(
      Object.fromEntries([...traffic].flatMap(([id, { day }]) => (day[sort] === null ? [] : [[id, day[sort]]]))),
    );
  const figures = Object.fromEntries(TRAFFIC_SORTS.map((sort) => [sort, figuresOf(sort)])) as DayFigures;
  return { figures, isWhole: missing === null };
}
