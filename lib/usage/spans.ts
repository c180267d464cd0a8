const HOUR = 3_600;

/** Lengths of the spans that are summed, in hours, each four of the one before it. */
export const SPAN_HOURS = [24, 96, 384] as const;

/** A stretch of time that is summed as one; `start` in unix seconds. */
export type Span = { hours: number; start: number };
/** Unix seconds; the end does not belong to it. */
export type Stretch = { from: number; until: number };

/**
 * A window in as few summed spans as possible, and the stretches at its ends that no span fits into. Spans end at or before
 * `summed`; `from` is the start of an hour. Everything in unix seconds.
 */
export function coverWindow(from: number, until: number, summed: number): { spans: Span[]; rest: Stretch[] } {
  const spans: Span[] = [];
  const rest: Stretch[] = [];
  const limit = Math.min(until, summed);
  let at = from;
  while (at < until) {
    const hours = SPAN_HOURS.findLast((length) => at % (length * HOUR) === 0 && at + length * HOUR <= limit);
    if (hours !== undefined) {
      spans.push({ hours, start: at });
      at += hours * HOUR;
      continue;
    }
    const next = nextSpanStart(at);
    const end = next + SPAN_HOURS[0] * HOUR <= limit ? next : until;
    rest.push({ from: at, until: end });
    at = end;
  }
  return { spans, rest };
}

function nextSpanStart(at: number): number {
  const shortest = SPAN_HOURS[0] * HOUR;
  return Math.ceil(at / shortest) * shortest;
}
