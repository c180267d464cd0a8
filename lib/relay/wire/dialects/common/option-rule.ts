import { type Json, readObject, readText } from "../../canonical/json";
import { InvalidRequest } from "../../canonical/wire-error";

/**
 * What happens to an option of a request that changes what the upstream asks for it. "counted": its tokens are in the
 * reported usage and have a price. "free": it costs nothing. Options in no table are passed on and cost nothing known.
 */
export type OptionRule = {
  /** As it is written in the documentation. */
  field: string;
  note: string;
} & (
  | { becomes: "counted" | "free" }
  | { becomes: "dropped"; header: string; pattern: RegExp }
  | {
      becomes: "dropped";
      /** By which an operator can allow it. */
      param: string;
      /** The request without it; null = it has no such option. */
      without(json: Json): Json | null;
    }
  | {
      becomes: "refused";
      /** The field named in the error, by which an operator can allow it. */
      param: string;
      /** `model`: as it was asked for, wherever the request names it. */
      applies(json: Json, model: string): boolean;
    }
);

/**
 * Throws InvalidRequest for the first option that would cost more than the price says. `allowed`: names of fields and
 * headers that the operator allows all the same.
 */
export function refuseDearOptions(
  rules: readonly OptionRule[],
  json: Json,
  allowed: readonly string[],
  model = readText(json.model),
): void {
  for (const rule of rules) {
    if (rule.becomes !== "refused" || !rule.applies(json, model) || allowed.includes(rule.param)) continue;
    throw new InvalidRequest(`${rule.field} cannot be used here: ${rule.note}`, rule.param);
  }
}

/** The request without the options that would cost more, and that it can do without; the same object = it has none. */
export function withoutDearOptions(rules: readonly OptionRule[], json: Json, allowed: readonly string[]): Json {
  let kept = json;
  for (const rule of rules) {
    if (rule.becomes === "dropped" && "without" in rule && !allowed.includes(rule.param)) {
      kept = rule.without(kept) ?? kept;
    }
  }
  return kept;
}

/** The fields and headers that `allowed` can name. */
export function dearNames(rules: readonly OptionRule[]): string[] {
  return rules.flatMap((rule) => {
    if (rule.becomes === "refused") return [rule.param];
    if (rule.becomes !== "dropped") return [];
    return ["param" in rule ? rule.param : rule.header];
  });
}

/** A header of the client without the items of its list that would cost more; "" = nothing is left. */
export function withoutDearItems(
  rules: readonly OptionRule[],
  name: string,
  value: string,
  allowed: readonly string[],
): string {
  if (allowed.includes(name)) return value;
  const patterns = rules.flatMap((rule) =>
    rule.becomes === "dropped" && "header" in rule && rule.header === name ? [rule.pattern] : [],
  );
  if (patterns.length === 0) return value;
  const items = value.split(",").map((item) => item.trim());
  return items.filter((item) => !patterns.some((pattern) => pattern.test(item))).join(",");
}

export function isGiven(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== null && value !== false;
}

/** Whether a part of a request asks to be cached for longer than the price of cache writes covers. */
export function isLongCache(part: unknown): boolean {
  const { cache_control: control } = readObject(part);
  if (control === undefined) return false;
  const { ttl } = readObject(control);
  return isGiven(ttl) && ttl !== "5m";
}

/** For an option that has values of the usual price; every other one is refused. */
export const isBeyond =
  (name: string, usual: readonly unknown[]) =>
  (json: Json): boolean =>
    isGiven(json[name]) && !usual.includes(json[name]);

export function optionsTable(rules: readonly OptionRule[]): string {
  const rows = rules.map(({ field, becomes, note }) => `| ${field} | ${becomes} | ${note} |`);
  return ["| option | becomes | why |", "| --- | --- | --- |", ...rows].join("\n");
}
