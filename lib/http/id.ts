import { z } from "zod";

/** Ids are 4-byte integers in the database; a larger number would be a fault there. */
export const ID_MAX = 2_147_483_647;

/** The id of a row in a body. */
export const idField = z
  .number("parametersInvalid")
  .int("parametersInvalid")
  .min(-ID_MAX, "parametersInvalid")
  .max(ID_MAX, "parametersInvalid");

/** Whose rows are meant, in a query: what cannot be read is refused, as it would mean the caller's own. Empty or 0 = not given. */
export const idParam = z
  .string()
  .regex(/^\d{0,10}$/, "parametersInvalid")
  .transform((text) => Number(text) || undefined)
  .optional();
