const HOUR = 3_600;

/** Lengths of the summed spans, in hours. Each is a multiple of the previous one. */
export const SPAN_HOURS = [4, 24, 96, 384] as const;

/** A period with a stored sum; `start` in unix seconds. */
export type Span = { hours: number; start: number };
/** Unix seconds; `until` is exclusive. */
export type Stretch = { from: number; until: number };

/**
 * Everything before `until` is summed, for single users before `usersUntil`, by channel and model before `channelModelsUntil`;
 * the shortest spans exist from `shortestFrom`; unix seconds.
 */
export type Summed = { until: number; shortestFrom: number; usersUntil: number; channelModelsUntil: number };

/**
 * Covers a window with as few summed spans as possible, and at most two stretches at its ends where no span fits.
 * `from` must be the start of an hour. All times in unix seconds.
 */
export function coverWindow(
  from: number,
  until: number,
  summed: Pick<Summed, "until" | "shortestFrom">,
): { spans: Span[]; rest: Stretch[] } {
  const [shortest] = SPAN_HOURS;
  const spans: Span[] = [];
  const rest: Stretch[] = [];
  const limit = Math.min(until, summed.until);
  const isThere = (hours: number, start: number) =>
    start % (hours * HOUR) === 0 &&
    start + hours * HOUR <= limit &&
    (hours !== shortest || start >= summed.shortestFrom);
  for (let at = from; at < until; ) {
    const start = at;
    const hours = SPAN_HOURS.findLast((length) => isThere(length, start));
    const step = shortest * HOUR;
    at = hours === undefined ? Math.min(until, start - (start % step) + step) : start + hours * HOUR;
    const last = rest.at(-1);
    if (hours !== undefined) spans.push({ hours, start });
    else if (last?.until === start) last.until = at;
    else rest.push({ from: start, until: at });
  }
  return { spans, rest };
}
