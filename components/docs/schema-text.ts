import type { JsonSchema, Operation } from "@/lib/http/openapi/types";

type Named = Record<string, JsonSchema>;

/** `text`: what the field means; empty = nothing is said. */
export type FieldRow = { name: string; type: string; required: boolean; text: string };

const DEPTH_MAX = 4;

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Follows a $ref to the document's named schemas. */
function resolve(schema: JsonSchema, named: Named): JsonSchema {
  const { $ref } = schema;
  if (typeof $ref !== "string") return schema;
  return named[$ref.split("/").at(-1) ?? ""] ?? {};
}

/** The fields of an object and, recursively, of nested objects ("parent.child") and list items ("list[].child"). */
export function fieldsOf(schema: JsonSchema, named: Named, prefix = "", depth = 0): FieldRow[] {
  const { properties, required, allOf } = resolve(schema, named);
  if (Array.isArray(allOf)) return onePerName(allOf.flatMap((part) => fieldsOf(part, named, prefix, depth)));
  if (!isObject(properties) || depth >= DEPTH_MAX) return [];
  const needed = Array.isArray(required) ? required : [];
  return Object.entries(properties).flatMap(([key, value]) => {
    const inner = isObject(value) ? value : {};
    const name = `${prefix}${key}`;
    const row = { name, type: typeWithDefault(inner, named), required: needed.includes(key), text: meaningOf(inner) };
    const { of, suffix } = withinOf(inner, named);
    return [row, ...fieldsOf(of, named, `${name}${suffix}.`, depth + 1)];
  });
}

export const meaningOf = ({ description }: JsonSchema): string => (typeof description === "string" ? description : "");

function typeWithDefault(schema: JsonSchema, named: Named): string {
  const usual = schema.default;
  return usual === undefined || usual === ""
    ? typeText(schema, named)
    : `${typeText(schema, named)} = ${JSON.stringify(usual)}`;
}

/** Unwraps lists and nullable types down to the inner schema. */
function withinOf(schema: JsonSchema, named: Named): { of: JsonSchema; suffix: string } {
  const known = resolve(schema, named);
  if (known.type === "array" && isObject(known.items)) {
    const { of, suffix } = withinOf(known.items, named);
    return { of, suffix: `[]${suffix}` };
  }
  const choices = known.anyOf ?? known.oneOf;
  if (!Array.isArray(choices)) return { of: known, suffix: "" };
  const [only, ...others] = choices.filter((choice) => isObject(choice) && choice.type !== "null");
  return isObject(only) && others.length === 0 ? withinOf(only, named) : { of: {}, suffix: "" };
}

/** For a repeated name the last row wins, because it has the most detail. */
function onePerName(rows: FieldRow[]): FieldRow[] {
  return [...new Map(rows.map((row) => [row.name, row])).values()];
}

/** The fields of a successful JSON response; [] for bytes, streams and free-form bodies. */
export function replyFieldsOf({ responses }: Operation, named: Named): FieldRow[] {
  const success = responses["200"];
  const schema = success && "content" in success ? success.content?.["application/json"]?.schema : undefined;
  if (!schema) return [];
  const [whole] = Array.isArray(schema.oneOf) ? schema.oneOf : [schema];
  return isObject(whole) ? fieldsOf(whole, named) : [];
}

/** A short description of a type, e.g. `"a" | "b"`, `integer[]`, `string (≤ 20)`. */
export function typeText(schema: JsonSchema, named: Named): string {
  const known = resolve(schema, named);
  if (known.const !== undefined) return JSON.stringify(known.const);
  if (Array.isArray(known.enum)) return known.enum.map((value) => JSON.stringify(value)).join(" | ");
  const choices = known.anyOf ?? known.oneOf;
  if (Array.isArray(choices))
    return [...new Set(choices.map((choice) => (isObject(choice) ? typeText(choice, named) : "any")))].join(" | ");
  if (known.type === "array") return `${isObject(known.items) ? typeText(known.items, named) : "any"}[]`;
  if (Array.isArray(known.type)) return known.type.join(" | ");
  if (Array.isArray(known.allOf)) return "object";
  return typeof known.type === "string" ? `${known.type}${boundsText(known)}` : "any";
}

function boundsText({ type, minimum, maximum, minLength, maxLength }: JsonSchema): string {
  const [low, high] = type === "string" ? [minLength, maxLength] : [minimum, maximum];
  // Integers without explicit bounds have the safe integer range, which is not shown.
  const least = typeof low === "number" && Math.abs(low) < Number.MAX_SAFE_INTEGER ? low : null;
  const most = typeof high === "number" && Math.abs(high) < Number.MAX_SAFE_INTEGER ? high : null;
  if (least !== null && most !== null) return ` (${least}–${most})`;
  if (least !== null) return ` (≥ ${least})`;
  return most === null ? "" : ` (≤ ${most})`;
}

/** An example value for a schema. Objects contain the required fields, or all fields if none is required. */
export function exampleOf(schema: JsonSchema, named: Named, depth = 0): unknown {
  const known = resolve(schema, named);
  const [example] = Array.isArray(known.examples) ? known.examples : [];
  if (example !== undefined) return example;
  if (known.default !== undefined) return known.default;
  if (known.const !== undefined) return known.const;
  if (Array.isArray(known.enum)) return known.enum[0];
  const [choice] = [known.anyOf, known.oneOf].find(Array.isArray) ?? [];
  if (isObject(choice)) return exampleOf(choice, named, depth);
  if (known.type === "array")
    return depth < DEPTH_MAX && isObject(known.items) ? [exampleOf(known.items, named, depth + 1)] : [];
  if (isObject(known.properties)) return exampleObject(known, known.properties, named, depth);
  if (known.type === "integer" || known.type === "number")
    return typeof known.minimum === "number" ? Math.max(known.minimum, 0) : 0;
  if (known.type === "boolean") return false;
  return known.type === "string" ? "…" : {};
}

function exampleObject(schema: JsonSchema, properties: JsonSchema, named: Named, depth: number): JsonSchema {
  if (depth >= DEPTH_MAX) return {};
  const required = Array.isArray(schema.required) && schema.required.length > 0 ? schema.required : null;
  const entries = Object.entries(properties).filter(([key]) => required === null || required.includes(key));
  return Object.fromEntries(
    entries.map(([key, value]) => [key, isObject(value) ? exampleOf(value, named, depth + 1) : null]),
  );
}
