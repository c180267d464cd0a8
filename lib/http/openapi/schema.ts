import { z } from "zod";
import type { JsonSchema, Parameter } from "./types";

/** Query parameters arrive as text; these are the patterns of `integerParam` and `pageParam`, which accept whole numbers. */
const WHOLE_NUMBERS: readonly unknown[] = ["^-?\\d{1,15}$", "^(-?\\d{1,15})?$"];

/** The JSON Schema 2020-12 of what a schema accepts. Parts that JSON Schema cannot express accept anything. */
export function toJsonSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any", cycles: "ref" });
  return json as JsonSchema;
}

/**
 * The JSON Schema of a response, with named rows as components. Additional properties are allowed, because fields may
 * be added later; the tests check all described fields.
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
      // JavaScript's integer limits say nothing about the field.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  const moved = JSON.parse(JSON.stringify({ json, $defs }).replaceAll('"#/$defs/', '"#/components/schemas/'));
  return { schema: moved.json, components: moved.$defs };
}

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
