const HOUR = 3_600;

/** Lengths of the spans that are summed, in hours. Each is a multiple of the one before it. */
export const SPAN_HOURS = [4, 24, 96, 384] as const;

/** A stretch of time that is summed as one; `start` in unix seconds. */
export type Span = { hours: number; start: number };
/** Unix seconds; the end does not belong to it. */
export type Stretch = { from: number; until: number };

/** Up to where everything is summed, and from where on the shortest spans are there; unix seconds. */
export type Summed = { until: number; shortestFrom: number };

/**
 * A window in as few summed spans as possible, and the stretches at its ends, at most two, that no span fits into. `from` is
 * the start of an hour. Everything in unix seconds.
 */
export function coverWindow(from: number, until: number, summed: Summed): { spans: Span[]; rest: Stretch[] } {
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
