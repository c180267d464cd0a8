/** Model → the models that are asked in turn when none of its channels answers; docs/failover.md. */
export type ModelFallbacks = Readonly<Record<string, readonly string[]>>;

/** Names of models, so many for one model or in one request. */
export const FALLBACKS_MAX = 5;
const NAME_LENGTH_MAX = 255;
const CONTROL = /\p{Cc}/u;

export function isModelName(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= NAME_LENGTH_MAX && !CONTROL.test(value);
}

export function isModelFallbacks(value: unknown): value is ModelFallbacks {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every(([model, names]) => isModelName(model) && isListFor(model, names));
}

/** A model does not fall back on itself, nor on another one twice. */
function isListFor(model: string, names: unknown): boolean {
  if (!Array.isArray(names) || names.length === 0 || names.length > FALLBACKS_MAX) return false;
  return names.every(isModelName) && new Set([model, ...names]).size === names.length + 1;
}
