import { type Placed, PlacedList } from "../base/placed-list";

/** Looked at four times a second. */
export type Ticking = Placed & {
  /** `now` is performance.now(). It may unwatch itself, but no other one. */
  onTick(now: number): void;
};

const TICK_MS = 250;
const watched = new PlacedList<Ticking>();
let timer: NodeJS.Timeout | null = null;
/** When the last tick was, and whether it was passed over. */
let lastAt = 0;
let isPassedOver = false;
/** A tick this late follows a stall of the process. */
const LATE_MS = 3 * TICK_MS;

/** One timer for the time limits of all attempts of this process: setting one for each would cost more than its request. */
export function watch(ticking: Ticking): void {
  watched.add(ticking);
  if (timer) return;
  timer = setInterval(tick, TICK_MS).unref();
  lastAt = performance.now();
}

export function unwatch(ticking: Ticking): void {
  watched.remove(ticking);
}

function tick(): void {
  const { items } = watched;
  if (items.length === 0) {
    if (timer) clearInterval(timer);
    timer = null;
    return;
  }
  const now = performance.now();
  const isLate = now - lastAt > LATE_MS;
  lastAt = now;
  // What arrived during a stall of ours is read first, so that it is not taken for silence of an upstream.
  isPassedOver = isLate && !isPassedOver;
  if (isPassedOver) return;
  // From the end: what takes the place of one that leaves was looked at already.
  for (let at = items.length - 1; at >= 0; at--) items[at]?.onTick(now);
}
