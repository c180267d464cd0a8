import type { z } from "zod";
import type { OptionDefinition } from "./definition";
import { accountOptions } from "./definitions/accounts";
import { compatibleOptions } from "./definitions/compatible";
import { contentOptions } from "./definitions/content";
import { generalOptions } from "./definitions/general";
import { notifyOptions } from "./definitions/notify";
import { oauthOptions } from "./definitions/oauth";
import { paymentOptions } from "./definitions/payment";
import { pricingOptions } from "./definitions/pricing";
import { serverOptions } from "./definitions/server";
import { outsideAccountOptions, signInOptions } from "./definitions/sign-in";

/**
 * Every option key: its schema, default, secrecy, the part of the system that must notice a change, and where the console
 * shows it. Within a card the console keeps this order. API, console, snapshot and documentation read nothing else.
 */
export const optionRegistry = {
  ...signInOptions,
  ...outsideAccountOptions,
  ...oauthOptions,
  ...contentOptions,
  ...serverOptions,
  ...paymentOptions,
  ...generalOptions,
  ...accountOptions,
  ...pricingOptions,
  ...notifyOptions,
  ...compatibleOptions,
} as const satisfies Record<string, OptionDefinition>;

/** The same registry by any key, where the type of one option does not matter. */
export function definitionOf(key: OptionKey): OptionDefinition {
  return optionRegistry[key];
}

export type OptionKey = keyof typeof optionRegistry;
export type OptionValues = { [Key in OptionKey]: z.output<(typeof optionRegistry)[Key]["schema"]> };

/** Whether the text is a key of the registry; everything else is refused at the wire. */
export function isOptionKey(key: string): key is OptionKey {
  return Object.hasOwn(optionRegistry, key);
}

/** Every key, in the registry's order. */
export function optionKeys(): OptionKey[] {
  return Object.keys(optionRegistry) as OptionKey[];
}

/** The built-in value of every option. */
export function defaultOptions(): OptionValues {
  const entries = Object.entries(optionRegistry).map(([key, definition]) => [
    key,
    definition.schema.parse(definition.default),
  ]);
  return Object.fromEntries(entries) as OptionValues;
}

/**
 * Reads one option from its stored text. Throws a ZodError on a text that does not fit, so that a bad value is never
 * stored and never becomes a silent default.
 */
export function parseOption<Key extends OptionKey>(key: Key, text: string): OptionValues[Key] {
  return optionRegistry[key].schema.parse(text) as OptionValues[Key];
}
