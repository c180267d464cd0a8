const sorted = (values: readonly number[]) => values.filter(Number.isFinite).sort((a, b) => a - b);

/** The value below which `share` of the known values are; NaN if none is known. */
function quantile(values: readonly number[], share: number): number {
  const known = sorted(values);
  const at = (known.length - 1) * share;
  const [low, high] = [known[Math.floor(at)], known[Math.ceil(at)]];
  return low === undefined || high === undefined ? Number.NaN : low + (high - low) * (at - Math.floor(at));
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);
export const lowerQuartile = (values: readonly number[]): number => quantile(values, 0.25);
export const upperQuartile = (values: readonly number[]): number => quantile(values, 0.75);

/** Numbers from 0 to 1 that follow from the seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The same values in an order that every permutation has the same chance of (Fisher and Yates). */
export function shuffled<Value>(values: readonly Value[], random: () => number): Value[] {
  const rest = [...values];
  const order: Value[] = [];
  while (rest.length > 0) order.push(...rest.splice(Math.floor(random() * rest.length), 1));
  return order;
}
