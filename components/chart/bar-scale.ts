/** Ends of an axis of whole numbers whose half is whole too. */
const TOPS = [2, 4, 6, 8, 10] as const;

/** Where an axis ends on which `largest` has room: a round number with a whole half. */
export function axisTop(largest: number): number {
  let unit = 1;
  while (largest > 10 * unit) unit *= 10;
  return unit * (TOPS.find((top) => top * unit >= largest) ?? 10);
}

/** The bar at `offset` of an area that is `width` wide, both in pixels; beside the area, the bar at that end. */
export function barAt(offset: number, width: number, count: number): number {
  return Math.max(0, Math.min(count - 1, Math.floor((offset / width) * count)));
}

const LABELS_MAX = 6;

/** The bars that have a label below them, so that labels do not touch. */
export function labelledBars(count: number): number[] {
  const step = Math.ceil(count / LABELS_MAX);
  return Array.from({ length: Math.ceil(count / step) }, (_none, place) => place * step).filter(
    (place) => place === 0 || place <= count - step / 2,
  );
}
