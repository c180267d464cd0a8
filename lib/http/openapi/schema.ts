import { z } from "zod";
import type { JsonSchema, Parameter } from "./types";

/** Query parameters arrive as text; this is how `integerParam` and `pageParam` tell that a whole number is meant. */
const WHOLE_NUMBERS: readonly unknown[] = ["^-?\\d{1,15}$", "^(-?\\d{1,15})?$"];

/** What a schema accepts, as JSON Schema 2020-12. Parts that JSON cannot say stand for anything. */
export function toJsonSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any", cycles: "ref" });
  return json as JsonSchema;
}

/**
 * What an answer holds, with the rows that have a name as components of the document. Fields may be added to answers, so
 * that they are open, although ours are held against all that is described.
 */
export function toReplySchema(schema: z.ZodType): { schema: JsonSchema; components: Record<string, JsonSchema> } {
  const {
    $schema: _,
    $defs = {},
    ...json
  } = z.toJSONSchema(schema, {
    io: "output",
    unrepresentable: "any",
    override: ({ jsonSchema }) => {
      delete jsonSchema.additionalProperties;
      delete jsonSchema.id;
      // The bounds of JavaScript's whole numbers say nothing about the field.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  const moved = JSON.parse(JSON.stringify({ json, $defs }).replaceAll('"#/$defs/', '"#/components/schemas/'));
  return { schema: moved.json, components: moved.$defs };
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
