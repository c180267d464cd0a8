import { ArchiveError } from "./storage";

const MOMENT = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?$/;

/**
 * Reads a range of time in UTC as unix seconds [start, end): a year, a month or a day (2026, 2026-11, 2026-11-24), or two of
 * them with .. between, of which the second is included. Throws ArchiveError.
 */
export function parseRange(text: string): { start: number; end: number } {
  const [first = "", last = first, ...more] = text.split("..");
  const start = boundsOf(first);
  const end = boundsOf(last);
  if (more.length > 0 || !start || !end || end.end <= start.start) {
    throw new ArchiveError(
      `${JSON.stringify(text)} is no range. Write 2026-11, 2026-11-24 or 2026-11-01..2026-11-15; times are UTC.`,
    );
  }
  return { start: start.start, end: end.end };
}

function boundsOf(text: string): { start: number; end: number } | null {
  const [, year, month, day] = MOMENT.exec(text) ?? [];
  if (year === undefined) return null;
  const at = [Number(year), Number(month ?? 1) - 1, Number(day ?? 1)] as const;
  const start = Date.UTC(...at);
  // 31 April would be 1 May.
  if (!new Date(start).toISOString().startsWith(text)) return null;
  const next = [at[0] + (month ? 0 : 1), at[1] + (month && !day ? 1 : 0), at[2] + (day ? 1 : 0)] as const;
  return { start: start / 1000, end: Date.UTC(...next) / 1000 };
}
