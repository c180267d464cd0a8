import { z } from "zod";

/** Query parameters arrive as text; what makes no sense counts as not given, as clients of the contract expect. */
export const textParam = z.string().max(1_000).optional().catch(undefined);
export const integerParam = z
  .string()
  .regex(/^-?\d{1,15}$/)
  .transform(Number)
  .optional()
  .catch(undefined);
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
