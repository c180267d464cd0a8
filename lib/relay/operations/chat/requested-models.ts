import { FALLBACKS_MAX, isModelName } from "@/lib/model-fallbacks";
import type { Json } from "../../wire/canonical/json";
import { InvalidRequest } from "../../wire/canonical/wire-error";

/** At most five names of models; [] = not given. */
export function readModelList(json: Json, name: string): readonly string[] {
  const value = json[name];
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || value.length > FALLBACKS_MAX || !value.every(isModelName)) {
    throw new InvalidRequest(`${name} must be a list of at most ${FALLBACKS_MAX} names of models`, name);
  }
  return value;
}
