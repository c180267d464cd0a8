import { z } from "zod";
import { nowSeconds } from "@/lib/clock";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { parseInput } from "@/lib/validation";
import { listBuckets } from "./bucket-queries";
import {
  bookedRows,
  cutWindow,
  isByMinute,
  type MarginPart,
  readDays,
  readLosses,
  readMarginCourse,
  readMarginRows,
} from "./margin-row-queries";
import {
  type LossReport,
  MARGIN_DIMENSIONS,
  type MarginReport,
  type MarginRow,
  type MarginTotals,
  NO_MARGIN,
} from "./margin-types";
import { HOURLY_WINDOW_SECONDS, isTimeZone, MINUTE_WINDOW_SECONDS, WINDOW_SECONDS_MAX } from "./schemas";
import { readTop, readTopIn } from "./span-queries";
import { readSummed } from "./sums-queries";
import { GRANULARITIES, stepOf } from "./types";
import { startOfWindow } from "./window-edges";

const ROWS_SHOWN = 50;
const ROWS_EXPORTED = 10_000;
const LOSSES_SHOWN = 50;
/** How far back losses are looked for while most of them would have to be read from the hourly rows. */
const UNSUMMED_SECONDS_MAX = 31 * 86_400;

const moment = z.number("timeRangeInvalid").int("timeRangeInvalid").min(0, "timeRangeInvalid");
const searchSchema = z
  .object({
    /** Unix seconds; `from` is rounded down to the hour of the time zone, or the minute by minute; `until` is exclusive. */
    from: moment,
    until: moment,
    granularity: z.enum(GRANULARITIES),
    timeZone: z.string().refine(isTimeZone, "timeZoneUnknown"),
    dimension: z.enum(MARGIN_DIMENSIONS),
  })
  .refine(({ from, until }) => until > from, { message: "timeRangeInvalid" });
export type MarginSearch = z.input<typeof searchSchema>;

/**
 * What was sold and bought in a window, by time and by channel, model, user, API key or day, from the hourly sums, by
 * minute from the log. For administrators. Throws forbidden, or invalid for a window that is too long.
 */
export async function readMargin(ctx: ServiceContext, input: MarginSearch): Promise<MarginReport> {
  const { search, part } = await prepare(ctx, input);
  const { granularity, timeZone, dimension } = search;
  const window = { from: part.from, until: search.until, granularity, timeZone };
  const buckets = await listBuckets(ctx.sql, { ...window, until: Math.max(part.until, part.from + 1) });
  const [points, rows] = await Promise.all([readMarginCourse(part, buckets), readShownRows(part, search)]);
  const totals = points.reduce(addMargin, NO_MARGIN);
  const rest = subtractMargin(totals, rows.reduce<MarginTotals>(addMargin, NO_MARGIN));
  return { window, buckets, points, totals, dimension, rows, rest };
}

/** All rows of a dimension, for an export. Throws like readMargin. */
export async function listMarginRows(ctx: ServiceContext, input: MarginSearch): Promise<MarginRow[]> {
  const { search, part } = await prepare(ctx, input);
  if (search.dimension === "day") return readDays(part, search.timeZone);
  return readMarginRows(part, search.dimension, { limit: ROWS_EXPORTED, keys: null });
}

/** Models that cost more at a channel than they bring in, largest loss first. For administrators. Throws like readMargin. */
export async function listLosses(ctx: ServiceContext, input: MarginSearch, limit = LOSSES_SHOWN): Promise<LossReport> {
  const { part } = await prepare(ctx, input);
  const { until, summed } = part;
  // After an upgrade or an import the job may need hours until it has summed everything again.
  const isSummed = until - summed.channelModelsUntil <= UNSUMMED_SECONDS_MAX;
  const earliest = isSummed ? part.from : until - (until % part.step) - UNSUMMED_SECONDS_MAX;
  return readLosses({ ...part, from: Math.max(part.from, earliest) }, limit);
}

async function prepare(ctx: ServiceContext, input: MarginSearch) {
  requireRole(ctx, ROLE.admin);
  const search = parseInput(searchSchema, input);
  const { from, until, granularity } = search;
  const bySteps = { minute: MINUTE_WINDOW_SECONDS, hour: HOURLY_WINDOW_SECONDS };
  const longest = granularity === "minute" || granularity === "hour" ? bySteps[granularity] : WINDOW_SECONDS_MAX;
  if (until - from > longest) throw new AppError("invalid", "timeRangeTooLong", { days: Math.floor(longest / 86_400) });
  const step = stepOf(granularity);
  const summed = await readSummed(ctx.sql);
  const now = nowSeconds();
  const end = Math.min(until, now + 1);
  const part: MarginPart = { sql: ctx.sql, from: startOfWindow(search), until: end, summed, step, now };
  return { search, part };
}

function addMargin(a: MarginTotals, b: MarginTotals): MarginTotals {
  return {
    count: a.count + b.count,
    sold: a.sold + b.sold,
    bought: a.bought + b.bought,
    unbilled: a.unbilled + b.unbilled,
    unknown: a.unknown + b.unknown,
  };
}

function subtractMargin(a: MarginTotals, b: MarginTotals): MarginTotals {
  return {
    count: a.count - b.count,
    sold: a.sold - b.sold,
    bought: a.bought - b.bought,
    unbilled: a.unbilled - b.unbilled,
    unknown: a.unknown - b.unknown,
  };
}

type Shown = Pick<z.output<typeof searchSchema>, "dimension" | "timeZone">;

/** There can be any number of users and API keys: only those that sold most are read. */
async function readShownRows(part: MarginPart, { dimension, timeZone }: Shown): Promise<MarginRow[]> {
  const limit = ROWS_SHOWN;
  if (dimension === "day") return readDays(part, timeZone);
  if (dimension !== "token" && dimension !== "user") return readMarginRows(part, dimension, { limit, keys: null });
  const { sql, summed } = part;
  const { whole, cut } = await cutWindow(part, [`${dimension}_id`]);
  const top = isByMinute(part)
    ? await readTopIn(sql, (await bookedRows(part, part, [`${dimension}_id`])).rows, { dimension, rows: limit })
    : await readTop(sql, { ...whole, cut, summed, dimension, rows: limit });
  return readMarginRows(part, dimension, { limit, keys: top.map(({ key }) => key) });
}
