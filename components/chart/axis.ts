const DIGITS_MIN = 2;
const DIGITS_MAX = 6;

/** Number of decimals for the axis ticks, given the largest amount in currency units. */
export function axisDigits(largest: number): number {
  if (!(largest > 0)) return DIGITS_MIN;
  return Math.min(DIGITS_MAX, Math.max(DIGITS_MIN, 2 - Math.floor(Math.log10(largest))));
}

/** How the ticks of an axis are written. */
export const AXIS_TICK = { fontSize: 11, fill: "var(--muted-foreground)" };

type Values = { id: string; values: readonly number[] };

/** A row for each label with the value of each series under its id, as recharts reads them. */
export function stackedRows(labels: readonly string[], series: readonly Values[]) {
  return labels.map((label, place) => ({
    label,
    ...Object.fromEntries(series.map(({ id, values }) => [id, values[place] ?? 0])),
  }));
}
