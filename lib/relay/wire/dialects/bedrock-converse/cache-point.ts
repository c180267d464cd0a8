import { type Json, readText } from "../../canonical/json";
import { takesCachePoints } from "./models";

/** The block that marks the prompt before it as worth caching; [] = none. */
export function cachePoint(mark: Json | undefined, model: string): Json[] {
  if (!mark || !takesCachePoints(model)) return [];
  const isLong = readText(mark.ttl) === "1h" && !/\bnova-/.test(model);
  return [{ cachePoint: { type: "default", ...(isLong ? { ttl: "1h" } : {}) } }];
}
