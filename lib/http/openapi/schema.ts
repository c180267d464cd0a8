import { z } from "zod";
import type { JsonSchema, Parameter } from "./types";

/** Query parameters arrive as text; this is how `integerParam` and `pageParam` tell that a whole number is meant. */
const WHOLE_NUMBERS: readonly unknown[] = ["^-?\\d{1,15}$", "^(-?\\d{1,15})?$"];

/** What a schema accepts, as JSON Schema 2020-12. Parts that JSON cannot say stand for anything. */
export function toJsonSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any", cycles: "ref" });
  return json as JsonSchema;
}

/** The fields of a query's schema as parameters. */
export function toQueryParameters(schema: z.ZodType): Parameter[] {
  const { properties = {}, required = [] } = toJsonSchema(schema) as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: "query",
    required: required.includes(name),
    schema: WHOLE_NUMBERS.includes(property.pattern) ? { type: "integer" } : property,
  }));
}
