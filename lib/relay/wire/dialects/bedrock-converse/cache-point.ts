import { type Json, readText } from "../../canonical/json";

const NOVA = /\bnova-/;

export function isNova(model: string): boolean {
  return NOVA.test(model);
}

/** Other models refuse a cache point. */
export function takesCachePoints(model: string): boolean {
  return NOVA.test(model) || /claude/.test(model);
}

/** The block that marks the prompt before it as worth caching; [] = none. */
export function cachePoint(mark: Json | undefined, model: string): Json[] {
  if (!mark || !takesCachePoints(model)) return [];
  const isLong = readText(mark.ttl) === "1h" && !/\bnova-/.test(model);
  return [{ cachePoint: { type: "default", ...(isLong ? { ttl: "1h" } : {}) } }];
}
