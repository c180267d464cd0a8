/** Seconds [start, end) of the usage log. */
export type LogRange = { start: number; end: number };

const DAY = 86_400;
/** A charge may come later than its request, e.g. out of a journal. Until then its rows count as being written. */
const SETTLES_WITHIN = 3_600;

/** The months (UTC) that touch [from, to], in order. */
export function monthsBetween(from: number, to: number): LogRange[] {
  const first = new Date(from * 1000);
  const months: LogRange[] = [];
  for (let index = first.getUTCMonth(); ; index++) {
    const start = Date.UTC(first.getUTCFullYear(), index, 1) / 1000;
    if (start > to) return months;
    months.push({ start, end: Date.UTC(first.getUTCFullYear(), index + 1, 1) / 1000 });
  }
}

/** The parts of `range` that none of the others covers. */
export function gapsIn(range: LogRange, others: readonly LogRange[]): LogRange[] {
  const gaps: LogRange[] = [];
  let at = range.start;
  for (const { start, end } of [...others].sort((a, b) => a.start - b.start)) {
    if (start > at) gaps.push({ start: at, end: Math.min(start, range.end) });
    at = Math.max(at, end);
    if (at >= range.end) break;
  }
  if (at < range.end) gaps.push({ start: at, end: range.end });
  return gaps.filter(({ start, end }) => end > start && start < range.end);
}

/**
 * Divides a gap that has begun: rows of `ahead` do not exist yet, those of `over` come no more, and what is between is
 * being written now and has to wait.
 */
export function divideAt({ start, end }: LogRange, now: number): { ahead: LogRange | null; over: LogRange | null } {
  if (start > now) return { ahead: { start, end }, over: null };
  if (end <= now - SETTLES_WITHIN) return { ahead: null, over: { start, end } };
  const nextDay = Math.ceil((now + SETTLES_WITHIN) / DAY) * DAY;
  return { ahead: nextDay < end ? { start: nextDay, end } : null, over: null };
}

/** usage_logs_2026_11 from the first of a month, usage_logs_2026_11_24 from another day. */
export function tableNameOf({ start }: LogRange): string {
  const [year, month, day] = new Date(start * 1000).toISOString().slice(0, 10).split("-");
  return `usage_logs_${year}_${month}${day === "01" ? "" : `_${day}`}`;
}
