import type { z } from "zod";
import type { OptionDefinition } from "./definition";
import { contentOptions } from "./definitions/content";
import { generalOptions } from "./definitions/general";
import { pricingOptions } from "./definitions/pricing";
import { signInOptions } from "./definitions/sign-in";

/** Every option key: its schema, default, secrecy and the part of the system that must notice a change. */
export const optionRegistry = {
  ...signInOptions,
  ...contentOptions,
  ...generalOptions,
  ...pricingOptions,
} as const satisfies Record<string, OptionDefinition>;

export type OptionKey = keyof typeof optionRegistry;
export type OptionValues = { [Key in OptionKey]: z.output<(typeof optionRegistry)[Key]["schema"]> };

/** Whether the text is a key of the registry; everything else is refused at the wire. */
export function isOptionKey(key: string): key is OptionKey {
  return Object.hasOwn(optionRegistry, key);
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
