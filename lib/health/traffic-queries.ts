import { nowSeconds } from "@/lib/clock";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { PAST_DAY_SQL } from "./attempts-sql";
import { recentSums } from "./live-sums-queries";
import { summedUntil } from "./rollup-commands";
import { NO_TRAFFIC, type RecentTraffic, summariseTraffic, type TrafficRow } from "./traffic";

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 24 * HOUR_SECONDS;
/** Limits how much is read live from the usage log when the rollup job has stopped. */
const LIVE_SECONDS_MAX = 6 * HOUR_SECONDS;

type SpanRow = TrafficRow & { channelId: number; span: keyof RecentTraffic };

/**
 * The traffic of the last hour and day by channel (administrators); channels without requests are left out.
 * `channelIds`: null = all.
 */
export async function readRecentTraffic(
  ctx: ServiceContext,
  channelIds: readonly number[] | null,
): Promise<Map<number, RecentTraffic>> {
  requireRole(ctx, ROLE.admin);
  if (channelIds?.length === 0) return new Map();
  const byChannel = new Map<number, Record<keyof RecentTraffic, SpanRow[]>>();
  for (const row of await readSpans(ctx, channelIds)) {
    const known = byChannel.get(row.channelId) ?? { hour: [], day: [] };
    known[row.span].push(row);
    byChannel.set(row.channelId, known);
  }
  return new Map([...byChannel].map(([id, { hour, day }]) => [id, { hour: summarise(hour), day: summarise(day) }]));
}

const summarise = (rows: SpanRow[]) => (rows.length === 0 ? NO_TRAFFIC : summariseTraffic(rows));

/** Finished hours come from channel_hourly, the latest ones from the usage log, which is read once for both windows. */
async function readSpans({ sql }: ServiceContext, channelIds: readonly number[] | null): Promise<SpanRow[]> {
  const until = nowSeconds() + 1;
  const hourFrom = until - HOUR_SECONDS;
  const dayFrom = until - DAY_SECONDS - ((until - DAY_SECONDS) % HOUR_SECONDS);
  const liveFrom = Math.max(dayFrom, await summedUntil(sql), until - LIVE_SECONDS_MAX);
  const channels = channelIds === null ? null : [...channelIds];
  const columns = `span, channel_id as "channelId", outcome, count, latency_buckets as "latencyBuckets",
    first_token_buckets as "firstTokenBuckets"`;
  const [past, live] = await Promise.all([
    sql.unsafe<SpanRow[]>(`select ${columns} from (${PAST_DAY_SQL}) past`, [dayFrom, liveFrom, channels]),
    recentSums<SpanRow>(
      sql,
      columns,
      { from: Math.min(liveFrom, hourFrom), until, hourFrom, dayFrom: liveFrom },
      channels,
    ),
  ]);
  return [...past, ...live];
}
