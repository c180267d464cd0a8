import { parseObject } from "@/lib/audit/difference";
import { type BuiltInPrice, builtInPrices } from "@/lib/billing/built-in-prices";
import { hintsOf } from "@/lib/option/definition";
import { definitionOf, isOptionKey, type OptionKey } from "@/lib/option/registry";

/** Options that hold only what the operator set, while clients of /api read and write the prices in force. */
const PRICE_PART = {
  ModelRatio: "ratio",
  ModelPrice: "price",
  CompletionRatio: "completion",
} as const satisfies Partial<Record<OptionKey, keyof BuiltInPrice>>;

function isPriceKey(key: string): key is keyof typeof PRICE_PART {
  return Object.hasOwn(PRICE_PART, key);
}

function builtIn(key: keyof typeof PRICE_PART): Record<string, number> {
  return Object.fromEntries(
    Object.entries(builtInPrices()).flatMap(([model, price]) => {
      const value = price[PRICE_PART[key]];
      return value === undefined ? [] : [[model, value]];
    }),
  );
}

/** The options as /api lists them: prices are the built-in ones, overridden by the operator's. */
export function toWireOptions(options: readonly { key: OptionKey; value: string }[]) {
  return options.map(({ key, value }) =>
    isPriceKey(key) ? { key, value: JSON.stringify({ ...builtIn(key), ...parseObject(value) }) } : { key, value },
  );
}

/**
 * The text to store for what a client sent. Prices that are the built-in ones are left out, so that a client that sends
 * back what it read does not fix them. An emptied number is its default.
 */
export function fromWireOption(key: string, value: string): string {
  if (!isOptionKey(key)) return value;
  const definition = definitionOf(key);
  if (value.trim() === "" && hintsOf(definition).control === "number") return definition.default;
  const given = isPriceKey(key) ? parseObject(value) : null;
  if (!given || !isPriceKey(key)) return value;
  const known = builtIn(key);
  return JSON.stringify(Object.fromEntries(Object.entries(given).filter(([model, price]) => known[model] !== price)));
}
