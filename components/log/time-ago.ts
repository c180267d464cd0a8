/** Units of a time span (B309): seconds, minutes, hours, days, months (30 days) and years (365 days). */
export type TimeUnit = "s" | "m" | "h" | "d" | "M" | "y";

const SECONDS: readonly [TimeUnit, number][] = [
  ["y", 365 * 86_400],
  ["M", 30 * 86_400],
  ["d", 86_400],
  ["h", 3_600],
  ["m", 60],
  ["s", 1],
];

/** A time span in its largest unit, rounded down; below a second it is 0 s. */
export function toLargestUnit(seconds: number): { value: number; unit: TimeUnit } {
  const [unit, size] = SECONDS.find(([, length]) => seconds >= length) ?? (["s", 1] as const);
  return { value: Math.max(0, Math.floor(seconds / size)), unit };
}
