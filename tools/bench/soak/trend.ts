/** A straight line through samples by least squares: growth an hour, and the standard error of that. */
export type Trend = { perHour: number; error: number };

export type Point = { atSeconds: number; value: number };

const HOUR_SECONDS = 3_600;

export function trendOf(points: readonly Point[]): Trend {
  const known = points.filter(({ value }) => Number.isFinite(value));
  const count = known.length;
  if (count < 3) return { perHour: Number.NaN, error: Number.NaN };
  const mean = (of: (point: Point) => number) => known.reduce((sum, point) => sum + of(point), 0) / count;
  const [meanAt, meanValue] = [mean(({ atSeconds }) => atSeconds), mean(({ value }) => value)];
  const spread = mean(({ atSeconds }) => (atSeconds - meanAt) ** 2) * count;
  const slope = (mean(({ atSeconds, value }) => (atSeconds - meanAt) * (value - meanValue)) * count) / spread;
  const residues = mean(({ atSeconds, value }) => (value - meanValue - slope * (atSeconds - meanAt)) ** 2) * count;
  const error = Math.sqrt(residues / (count - 2) / spread);
  return { perHour: slope * HOUR_SECONDS, error: error * HOUR_SECONDS };
}
