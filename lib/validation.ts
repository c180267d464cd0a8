import type { z } from "zod";
import { AppError } from "./errors";

/** A schema's own message is a key under "errors" (one word); zod's built-in messages are sentences and never shown. */
const MESSAGE_KEY = /^[a-z][A-Za-z]+$/;

/** What a message says of the place that is wrong, as `refuseBadEntry` of lib/list-lines.ts gives it. */
function placeOf(issue: z.core.$ZodIssue): Record<string, string | number> {
  if (issue.code !== "custom") return {};
  const given = Object.entries(issue.params ?? {});
  return Object.fromEntries(given.filter(([, value]) => typeof value === "string" || typeof value === "number"));
}

/** Parses input with a schema. Throws AppError invalid with the schema's message key, or "fieldInvalid" with the field. */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const field = issue?.path.join(".") ?? "";
  if (issue && MESSAGE_KEY.test(issue.message))
    throw new AppError("invalid", issue.message, { ...placeOf(issue), field });
  throw field === ""
    ? new AppError("invalid", "parametersInvalid")
    : new AppError("invalid", "fieldInvalid", { field });
}
