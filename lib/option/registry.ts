import type { z } from "zod";
import type { OptionDefinition } from "./definition";
import { compatibleOptions } from "./definitions/compatible";
import { contentOptions } from "./definitions/content";
import { failoverOptions } from "./definitions/failover";
import { generalOptions } from "./definitions/general";
import { makerOptions } from "./definitions/makers";
import { notifyOptions } from "./definitions/notify";
import { oauthOptions } from "./definitions/oauth";
import { paymentOptions } from "./definitions/payment";
import { pricingOptions } from "./definitions/pricing";
import { serverOptions } from "./definitions/server";
import { accountOptions, outsideAccountOptions, signInOptions } from "./definitions/sign-in";
import { statusPageOptions } from "./definitions/status-page";

/**
 * Every option with its schema, default, secrecy, the part of the system that must react to a change, and its place in
 * the console. A card lists its options in this order. API, console, snapshot and documentation all use this registry.
 */
export const optionRegistry = {
  ...signInOptions,
  ...outsideAccountOptions,
  ...oauthOptions,
  ...contentOptions,
  ...serverOptions,
  ...paymentOptions,
  ...generalOptions,
  ...failoverOptions,
  ...makerOptions,
  ...accountOptions,
  ...pricingOptions,
  ...notifyOptions,
  ...statusPageOptions,
  ...compatibleOptions,
} as const satisfies Record<string, OptionDefinition>;

/** The definition of any key, without the type of its value. */
export function definitionOf(key: OptionKey): OptionDefinition {
  return optionRegistry[key];
}

export type OptionKey = keyof typeof optionRegistry;
export type OptionValues = { [Key in OptionKey]: z.output<(typeof optionRegistry)[Key]["schema"]> };

/** Whether the text is a known key; the API refuses all others. */
export function isOptionKey(key: string): key is OptionKey {
  return Object.hasOwn(optionRegistry, key);
}

/** Every key, in the registry's order. */
export function optionKeys(): OptionKey[] {
  return Object.keys(optionRegistry) as OptionKey[];
}

/** A new object on each call. The values in it are shared, so they are frozen. */
export function defaultOptions(): OptionValues {
  defaults ??= Object.fromEntries(
    Object.entries(optionRegistry).map(([key, { schema, default: text }]) => [key, freeze(schema.parse(text))]),
  ) as OptionValues;
  return { ...defaults };
}

let defaults: OptionValues | null = null;

/** The last text of each option and its value: options are read for every page, and seldom change. */
const parsed = new Map<OptionKey, { text: string; value: unknown }>();

/**
 * Parses the stored text of one option. Throws a ZodError for an invalid text instead of using a default, so that an
 * invalid value is never stored. The value is shared and frozen.
 */
export function parseOption<Key extends OptionKey>(key: Key, text: string): OptionValues[Key] {
  const last = parsed.get(key);
  if (last?.text === text) return last.value as OptionValues[Key];
  const value = freeze(optionRegistry[key].schema.parse(text));
  parsed.set(key, { text, value });
  return value as OptionValues[Key];
}

function freeze<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  for (const part of Object.values(value)) freeze(part);
  return Object.freeze(value);
}
