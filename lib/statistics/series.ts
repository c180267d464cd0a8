import type { BreakdownRow, ModelSeries, UsageTotals } from "./types";

/** Models with their own series; all others are combined. */
export const TOP_MODELS = 9;

export const NO_USAGE: UsageTotals = { quota: 0, count: 0, tokens: 0 };

/** Consumption of a model in a bucket; bucket numbers start at 0. */
export type SeriesPoint = UsageTotals & { bucket: number; name: string };

export function addUsage(a: UsageTotals, b: UsageTotals): UsageTotals {
  return { quota: a.quota + b.quota, count: a.count + b.count, tokens: a.tokens + b.tokens };
}

export function subtractUsage(a: UsageTotals, b: UsageTotals): UsageTotals {
  return { quota: a.quota - b.quota, count: a.count - b.count, tokens: a.tokens - b.tokens };
}

export function sumUsage(parts: readonly UsageTotals[]): UsageTotals {
  return parts.reduce(addUsage, NO_USAGE);
}

type Top = { totals: UsageTotals; models: ModelSeries[]; all: BreakdownRow[] };

/**
 * The TOP_MODELS with the highest cost (then the most calls), with a point for every bucket, zero where there was
 * nothing. All other models are combined into one unnamed series, if there are any. `all` lists every model with its
 * sum.
 */
export function topModels(points: readonly SeriesPoint[], buckets: number): Top {
  const byName = new Map<string, ModelSeries>();
  for (const point of points) {
    const known = byName.get(point.name) ?? emptySeries(point.name, buckets);
    byName.set(point.name, addPoint(known, point));
  }
  const ranked = [...byName.values()].sort(
    (a, b) => b.quota - a.quota || b.count - a.count || (a.name ?? "").localeCompare(b.name ?? ""),
  );
  const rest = ranked.slice(TOP_MODELS);
  return {
    totals: sumUsage(ranked),
    models: [...ranked.slice(0, TOP_MODELS), ...(rest.length > 0 ? [foldSeries(rest, buckets)] : [])],
    all: ranked.map(({ name, quota, count, tokens }) => {
      const label = name ?? "";
      return { key: label, label, owner: "", quota, count, tokens };
    }),
  };
}

function emptySeries(name: string | null, buckets: number): ModelSeries {
  return { name, ...NO_USAGE, points: Array.from({ length: buckets }, () => NO_USAGE) };
}

/** Combines series into one without a name. */
function foldSeries(parts: readonly ModelSeries[], buckets: number): ModelSeries {
  const points = Array.from({ length: buckets }, (_, i) => sumUsage(parts.map((part) => part.points[i] ?? NO_USAGE)));
  return { name: null, ...sumUsage(parts), points };
}

function addPoint(series: ModelSeries, point: SeriesPoint): ModelSeries {
  const { points } = series;
  points[point.bucket] = addUsage(points[point.bucket] ?? NO_USAGE, point);
  return { ...series, ...addUsage(series, point), points };
}

/** The relative change; null when the previous value is 0. */
export function changeOf(current: number, previous: number): number | null {
  return previous === 0 ? null : (current - previous) / previous;
}
