import { isLimitSeconds, LIMIT_NAMES, type LimitName } from "@/lib/time-limits";
import { changeSetting, parseSetting } from "./setting-json";

export type TimeLimitTexts = Record<LimitName, string>;

/** The time limits in a channel's setting as texts for the form; null = they cannot be read at the moment. */
export function readTimeLimits(setting: string): TimeLimitTexts | null {
  const limits = limitsOf(setting);
  if (!limits) return null;
  const texts = LIMIT_NAMES.map((name) => [name, limits[name] === undefined ? "" : String(limits[name])]);
  return Object.fromEntries(texts) as TimeLimitTexts;
}

/** The setting with a time limit; "" removes it. Text that is no finite number is kept, so that saving it is refused. */
export function withTimeLimit(setting: string, name: LimitName, text: string): string {
  const { [name]: _, ...others } = limitsOf(setting) ?? {};
  const number = Number(text);
  const limits = text.trim() === "" ? others : { ...others, [name]: Number.isFinite(number) ? number : text };
  return changeSetting(setting, "time_limits", Object.keys(limits).length === 0 ? undefined : limits);
}

/** The limits in the setting that are no number of seconds. */
export function badTimeLimits(setting: string): LimitName[] {
  const limits = limitsOf(setting) ?? {};
  return LIMIT_NAMES.filter((name) => limits[name] !== undefined && !isLimitSeconds(limits[name]));
}

function limitsOf(setting: string): Record<string, unknown> | null {
  const limits = parseSetting(setting)?.time_limits;
  if (limits === undefined || limits === null) return parseSetting(setting) && {};
  return typeof limits === "object" && !Array.isArray(limits) ? (limits as Record<string, unknown>) : null;
}
