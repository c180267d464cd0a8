import { z } from "zod";

/** Ids are 4-byte integers in the database; a larger number would be a fault there. */
export const ID_MAX = 2_147_483_647;

/** The id of a row in a body. */
export const idField = z
  .number("parametersInvalid")
  .int("parametersInvalid")
  .min(-ID_MAX, "parametersInvalid")
  .max(ID_MAX, "parametersInvalid");

/** The id of an account in a query that reads or changes one row: one that cannot be read is refused. 0 = not given. */
export const idParam = z
  .string()
  .regex(/^\d{1,10}$/, "parametersInvalid")
  .transform((text) => Number(text) || undefined)
  .optional();
