import { type Json, readArray, readObject } from "../../canonical/json";
import type { Tool } from "../../canonical/request";

/** Deeper schemas are not strict. */
const DEPTH_MAX = 32;

/** Words that OpenAI does not take in a schema that is to be kept to strictly. */
const LOOSE = ["oneOf", "allOf", "not", "if", "patternProperties", "dependentRequired", "dependentSchemas"];

/**
 * Whether OpenAI would take this schema as strict: objects have no other properties than those named, and all of them.
 * Other providers keep to schemas that are not.
 */
export function isStrictSchema(schema: Json, depth = 0): boolean {
  if (depth > DEPTH_MAX || LOOSE.some((word) => schema[word] !== undefined)) return false;
  const properties = readObject(schema.properties);
  const isObject = schema.type === "object" || readArray(schema.type).includes("object");
  if (depth === 0 && !isObject) return false;
  if (isObject) {
    const required = new Set(readArray(schema.required));
    if (schema.additionalProperties !== false || !Object.keys(properties).every((name) => required.has(name)))
      return false;
  }
  return innerSchemas(schema, properties).every((inner) => isStrictSchema(readObject(inner), depth + 1));
}

/** What OpenAI is told of a tool: a schema that it does not take as strict goes without that word. */
export function strictOf({ strict, parameters }: Tool): boolean | undefined {
  return strict === true && parameters && !isStrictSchema(parameters) ? undefined : strict;
}

function innerSchemas({ items, anyOf, $defs, definitions }: Json, properties: Json): unknown[] {
  const named = [properties, readObject($defs), readObject(definitions)].flatMap((one) => Object.values(one));
  return [...named, ...readArray(anyOf), ...(items === undefined ? [] : [items])];
}
