/** A later date is more likely a wrong clock than a wish. */
const MS_MAX = 86_400_000;

/** A Retry-After header, in seconds or as an HTTP date; in ms from now. Null = none, or none that makes sense. */
export function readRetryAfter(text: string | undefined, now = Date.now()): number | null {
  if (text === undefined || text.trim() === "") return null;
  const ms = /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now;
  return ms > 0 && ms <= MS_MAX ? ms : null;
}
