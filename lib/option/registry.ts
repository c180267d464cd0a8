import type { z } from "zod";
import type { OptionDefinition } from "./definition";
import { accountOptions } from "./definitions/accounts";
import { compatibleOptions } from "./definitions/compatible";
import { contentOptions } from "./definitions/content";
import { failoverOptions } from "./definitions/failover";
import { generalOptions } from "./definitions/general";
import { notifyOptions } from "./definitions/notify";
import { oauthOptions } from "./definitions/oauth";
import { paymentOptions } from "./definitions/payment";
import { pricingOptions } from "./definitions/pricing";
import { serverOptions } from "./definitions/server";
import { outsideAccountOptions, signInOptions } from "./definitions/sign-in";

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
  ...accountOptions,
  ...pricingOptions,
  ...notifyOptions,
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

export function defaultOptions(): OptionValues {
  const entries = Object.entries(optionRegistry).map(([key, definition]) => [
    key,
    definition.schema.parse(definition.default),
  ]);
  return Object.fromEntries(entries) as OptionValues;
}

/**
 * Parses the stored text of one option. Throws a ZodError for an invalid text instead of using a default, so that an
 * invalid value is never stored.
 */
export function parseOption<Key extends OptionKey>(key: Key, text: string): OptionValues[Key] {
  return optionRegistry[key].schema.parse(text) as OptionValues[Key];
}
