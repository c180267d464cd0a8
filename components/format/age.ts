import { getTranslations } from "next-intl/server";

const [MINUTE, HOUR, DAY] = [60, 3_600, 86_400];

/** How long something has lasted, in a unit in which it is at least two. */
export async function formatAge(seconds: number): Promise<string> {
  const t = await getTranslations("age");
  const count = (unit: number) => ({ count: String(Math.round(seconds / unit)) });
  if (seconds < 10 && !Number.isInteger(seconds)) return t("seconds", { count: seconds.toFixed(1) });
  if (seconds < 2 * MINUTE) return t("seconds", count(1));
  if (seconds < 2 * HOUR) return t("minutes", count(MINUTE));
  return seconds < 2 * DAY ? t("hours", count(HOUR)) : t("days", count(DAY));
}

/** Bytes in a unit of which there is at least a tenth. */
export function formatBytes(bytes: number): string {
  if (bytes < 100_000) return `${Math.ceil(bytes / 1_000)} kB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}
