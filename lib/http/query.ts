import { z } from "zod";

/** Where in a list. A number that makes no sense counts as not given: the nearest page is a good answer to that. */
export const pageParam = z
  .string()
  .regex(/^-?\d{1,15}$/)
  .transform(Number)
  .optional()
  .catch(undefined);

/**
 * Filters arrive as text. An empty one counts as not given, as clients of the contract send all that they know; one that
 * makes no sense is refused with its name: left aside, the answer would be every row instead of those asked for.
 */
export const textParam = z.string().max(1_000).optional();
export const integerParam = z
  .string()
  .regex(/^(-?\d{1,15})?$/)
  .transform((text) => (text === "" ? undefined : Number(text)))
  .optional();
/** A filter that has one of a few values. */
export const choiceParam = <const Value extends string>(values: readonly Value[]) =>
  z
    .enum(["", ...values])
    .transform((text) => values.find((value) => value === text))
    .optional();
export const flagParam = z
  .string()
  .optional()
  .transform((text) => text === "true" || text === "1");

/** Only what is there, for inputs whose absent fields must stay absent. */
export function defined<Fields extends Record<string, unknown>>(
  fields: Fields,
): { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Key in keyof Fields]?: Exclude<Fields[Key], undefined>;
  };
}
