/** Looked at four times a second. */
export type Ticking = {
  /** Its place among all that are watched; -1 = it is not. Only this file writes it. */
  place: number;
  /** `now` is performance.now(). It may unwatch itself, but no other one. */
  onTick(now: number): void;
};

const TICK_MS = 250;
/** A Set of this many would cost microseconds for every request: its table is built anew again and again. */
const watched: Ticking[] = [];
let timer: NodeJS.Timeout | null = null;
/** When the last tick was, and whether it was passed over. */
let lastAt = 0;
let isPassedOver = false;
/** A tick this late follows a stall of the process. */
const LATE_MS = 3 * TICK_MS;

/** One timer for the time limits of all attempts of this process: setting one for each would cost more than its request. */
export function watch(ticking: Ticking): void {
  ticking.place = watched.push(ticking) - 1;
  if (timer) return;
  timer = setInterval(tick, TICK_MS).unref();
  lastAt = performance.now();
}

export function unwatch(ticking: Ticking): void {
  const { place } = ticking;
  if (place === -1) return;
  ticking.place = -1;
  const last = watched.pop();
  if (!last || last === ticking) return;
  watched[place] = last;
  last.place = place;
}

function tick(): void {
  if (watched.length === 0) {
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
  for (let at = watched.length - 1; at >= 0; at--) watched[at]?.onTick(now);
}
