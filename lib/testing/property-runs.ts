/**
 * How many random cases of a property a test tries: a quarter in everyday runs, at least 25. WEIR_PROPERTY_RUNS=all has all
 * of them, as `scripts/node-stages.mjs` in CI does.
 */
export function propertyRuns(all: number): { numRuns: number } {
  const isEverything = process.env.WEIR_PROPERTY_RUNS === "all";
  return { numRuns: isEverything ? all : Math.max(25, Math.ceil(all / 4)) };
}
