import { z } from "zod";

/** The page number. An invalid one is treated as absent. */
export const pageParam = z
  .string()
  .regex(/^-?\d{1,15}$/)
  .transform(Number)
  .optional()
  .catch(undefined);

/**
 * Filters arrive as text. An empty one is treated as absent, because clients send all filters they know. So is a number
 * that cannot be read: clients send what their form holds, "NaN", "null" or "undefined" (contract §1.1). A readable value
 * out of range is refused with its name.
 */
export const textParam = z.string().max(1_000).optional();
export const integerParam = z
  .string()
  .regex(/^(-?\d{1,15})?$/)
  .transform((text) => (text === "" ? undefined : Number(text)))
  .optional()
  .catch(undefined);

const NO_CHOICE = ["", "null", "undefined", "NaN"];

/** The name of a group. Clients whose choice was cleared send "null". */
export const groupParam = textParam.transform((text) => (NO_CHOICE.includes(text ?? "") ? undefined : text));
export const choiceParam = <const Value extends string>(values: readonly Value[]) =>
  z
    .enum(["", ...values])
    .transform((text) => values.find((value) => value === text))
    .optional();
export const flagParam = z
  .string()
  .optional()
  .transform((text) => text === "true" || text === "1");

/** Drops undefined fields, for inputs where absent fields must stay absent. */
export function defined<Fields extends Record<string, unknown>>(
  fields: Fields,
): { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Key in keyof Fields]?: Exclude<Fields[Key], undefined>;
  };
}
