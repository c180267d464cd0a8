import type { Dashboard } from "@/lib/statistics/types";

/** The part of the dashboard to export, as the query of /detail/export. */
export function exportQuery(window: Dashboard["window"], table: string, more: Record<string, string> = {}): string {
  const { from, until, granularity, timeZone } = window;
  const given = Object.entries(more).filter(([, value]) => value !== "");
  const query = { table, start: String(from), end: String(until), by: granularity, zone: timeZone };
  return new URLSearchParams({ ...query, ...Object.fromEntries(given) }).toString();
}
