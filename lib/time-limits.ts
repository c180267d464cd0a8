/** The time limits of an upstream request, which a model or a channel may override; docs/failover.md explains each. */
export const LIMIT_NAMES = [
  "connect",
  "first_byte",
  "first_byte_whole",
  "first_token",
  "alone",
  "idle",
  "whole",
  "stream",
] as const;
export type LimitName = (typeof LIMIT_NAMES)[number];

/** Seconds by limit; 0 = no limit. */
export type LimitOverrides = Readonly<Partial<Record<LimitName, number>>>;
/** Model, or the beginning of its name with an asterisk after it → limits. */
export type ModelLimitOverrides = Readonly<Record<string, LimitOverrides>>;

/** Connecting never takes longer, whatever is set. */
export const CONNECT_SECONDS_MAX = 30;
export const LIMIT_SECONDS_MAX = 86_400;

const names: ReadonlySet<string> = new Set(LIMIT_NAMES);

export function isLimitOverrides(value: unknown): value is LimitOverrides {
  return (
    isObject(value) && Object.entries(value).every(([name, seconds]) => names.has(name) && isLimitSeconds(seconds))
  );
}

export function isModelLimitOverrides(value: unknown): value is ModelLimitOverrides {
  if (!isObject(value)) return false;
  return Object.entries(value).every(
    ([model, limits]) => model !== "" && model.length <= 255 && isLimitOverrides(limits),
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isLimitSeconds(value: unknown): boolean {
  return typeof value === "number" && value >= 0 && value <= LIMIT_SECONDS_MAX;
}
