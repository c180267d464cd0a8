import type { Route } from "@/lib/http/route";
import { toJsonSchema } from "./schema";
import type { ApiTexts } from "./texts";
import type { JsonSchema } from "./types";

type ObjectSchema = JsonSchema & { properties?: Record<string, JsonSchema>; required?: string[] };

/** What a schema says about a value beyond its type. */
const BOUNDS = [
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "minLength",
  "maxLength",
  "enum",
] as const;

const camel = (name: string): string => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/**
 * The body of a call: what it is read by, with the bounds, defaults and required fields of what the handler makes of it, and what
 * each field means. `line`: "METHOD path".
 */
export function bodySchema(line: string, { body, makes }: Route, texts: ApiTexts): JsonSchema {
  const read: ObjectSchema = body ? toJsonSchema(body) : {};
  const made: ObjectSchema = makes ? toJsonSchema(makes) : {};
  const choices = read.anyOf;
  if (Array.isArray(choices)) return { ...read, anyOf: choices.map((one) => described(line, one, texts)) };
  return described(line, within(line, read, made), texts);
}

/** A field's meaning; undefined = there is none, which a test refuses. */
export function fieldText(line: string, name: string, { fields }: ApiTexts): string | undefined {
  return fields[`${line} ${name}`] ?? fields[name];
}

function described(line: string, schema: ObjectSchema, texts: ApiTexts): ObjectSchema {
  const { properties } = schema;
  if (!properties) return schema;
  const entries = Object.entries(properties).map(([name, property]) => {
    const description = fieldText(line, name, texts);
    return [name, { ...property, ...(description === undefined ? {} : { description }) }];
  });
  return { ...schema, properties: Object.fromEntries(entries) };
}

/** A channel that is copied takes what is not sent from another one. */
const COPIES: Readonly<Record<string, readonly string[]>> = { "POST /api/channel": ["copy_from", "id"] };

function within(line: string, read: ObjectSchema, made: ObjectSchema): ObjectSchema {
  const { properties = {}, required = [] } = read;
  const needed = Object.keys(properties).filter(
    (name) => required.includes(name) || made.required?.includes(camel(name)),
  );
  const entries = Object.entries(properties).map(([name, property]) => {
    const merged = merge(property, made.properties?.[camel(name)] ?? {});
    // A required field has no default: an empty one is only read so that its absence gets a message of its own.
    if (needed.includes(name)) delete merged.default;
    return [name, merged];
  });
  const whole = { ...read, properties: Object.fromEntries(entries) };
  const copies = COPIES[line];
  if (copies) return { ...whole, anyOf: [{ required: needed }, ...copies.map((name) => ({ required: [name] }))] };
  return needed.length > 0 ? { ...whole, required: needed } : whole;
}

function merge(property: JsonSchema, made: JsonSchema): JsonSchema {
  const merged: JsonSchema = { ...property };
  if (made.default !== undefined && made.default !== null) merged.default = made.default;
  // A union says more by itself, such as a number or its name.
  if (merged.anyOf !== undefined) return merged;
  for (const bound of BOUNDS) if (made[bound] !== undefined && !isSafeLimit(made[bound])) merged[bound] = made[bound];
  if (merged.type === "number" && made.type === "integer") merged.type = "integer";
  return merged;
}

/** JavaScript's integer limits say nothing about a field. */
const isSafeLimit = (value: unknown): boolean => value === Number.MAX_SAFE_INTEGER || value === Number.MIN_SAFE_INTEGER;
