const pad = (value: number) => String(value).padStart(2, "0");

/** Unix seconds as yyyy-MM-dd HH:mm:ss in the browser's time zone, for the expiry field; "" for never (-1). */
export function toExpiryText(seconds: number): string {
  if (seconds === -1) return "";
  const date = new Date(seconds * 1000);
  const day = [date.getFullYear(), pad(date.getMonth() + 1), pad(date.getDate())].join("-");
  return `${day} ${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`;
}

const FORMAT = /^(\d{4})-(\d{2})-(\d{2})(?:[ T](\d{2}):(\d{2})(?::(\d{2}))?)?$/;

/**
 * Parses a typed expiry to unix seconds; -1 (never) for "" and "-1". Null if it is no valid date in the format yyyy-MM-dd
 * HH:mm:ss, e.g. 31 February.
 */
export function readExpiry(text: string): number | null {
  const typed = text.trim();
  if (typed === "" || typed === "-1") return -1;
  const match = FORMAT.exec(typed);
  if (!match) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1)
    .map((part) => Number(part ?? 0));
  const date = new Date(year, month - 1, day, hour, minute, second);
  const isSame =
    date.getMonth() === month - 1 && date.getDate() === day && hour < 24 && date.getMinutes() === minute && second < 60;
  return isSame ? Math.ceil(date.getTime() / 1000) : null;
}

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;

/** The quick choices in seconds from now; null = never. A month has 30 days (B287). */
export const QUICK_EXPIRY = { never: null, month: 30 * DAY, day: DAY, hour: HOUR, minute: MINUTE } as const;

/** The field text for `seconds` after `now` (milliseconds); "" for never. */
export function expiryFromNow(seconds: number | null, now: number): string {
  return seconds === null ? "" : toExpiryText(Math.ceil(now / 1000) + seconds);
}
