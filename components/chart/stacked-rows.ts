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
