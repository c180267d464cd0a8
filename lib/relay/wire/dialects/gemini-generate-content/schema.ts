import { type Json, readArray, readObject, readText } from "../../canonical/json";
import { mapInner } from "../schemas/inner-schemas";
import { inlineReferences } from "../schemas/schema-references";

/** Deeper schemas are cut off. */
const DEPTH_MAX = 32;

const NUMBERS = ["minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"];

/** Google's form of schemas (types in capital letters, nullable, counts as text) as a JSON schema. */
export function toJsonSchema(schema: Json, depth = 0): Json {
  if (depth > DEPTH_MAX) return {};
  const { nullable, propertyOrdering: _, property_ordering: __, example: ___, ...rest } = schema;
  const written: Json = mapInner(rest, (inner) => toJsonSchema(inner, depth + 1));
  for (const [snake, name] of SNAKE) {
    if (written[snake] === undefined) continue;
    written[name] = written[snake];
    delete written[snake];
  }
  const type = readText(schema.type).toLowerCase();
  if (type === "type_unspecified") delete written.type;
  else if (type !== "") written.type = nullable === true ? [type, "null"] : type;
  for (const name of NUMBERS) if (typeof written[name] === "string") written[name] = Number(written[name]);
  if (written.format === "enum") delete written.format;
  return written;
}

/** Google writes no other properties than those named, which its own form of schemas need not say. */
export function closeObjects(schema: Json, depth = 0): Json {
  if (depth > DEPTH_MAX) return schema;
  const isOpen = schema.properties !== undefined && schema.additionalProperties === undefined;
  return mapInner(isOpen ? { ...schema, additionalProperties: false } : schema, (one) => closeObjects(one, depth + 1));
}

const SNAKE = [...NUMBERS, "anyOf", "additionalProperties"].map(
  (name) => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), name] as const,
);

/** What models before Gemini 2.5 take. */
const OLD_KEYS = new Set([
  ...["type", "format", "description", "nullable", "enum", "items", "properties", "required", "anyOf"],
  ...["minItems", "maxItems", "minimum", "maximum"],
]);
const OLD_FORMATS: Readonly<Record<string, readonly string[]>> = {
  string: ["enum", "date-time"],
  number: ["float", "double"],
  integer: ["int32", "int64"],
};

/** A JSON schema in the older form, without what it does not know. https://ai.google.dev/api/caching#Schema */
export function toOldSchema(schema: Json): Json {
  return oldSchema(inlineReferences(schema), 0);
}

function oldSchema(schema: Json, depth: number): Json {
  if (depth > DEPTH_MAX) return { type: "string" };
  const { oneOf, allOf, const: only, ...given } = schema;
  const merged: Json = {
    ...given,
    ...Object.assign({}, ...readArray(allOf).map(readObject)),
    ...(Array.isArray(oneOf) ? { anyOf: oneOf } : {}),
    ...(typeof only === "string" ? { enum: [only] } : {}),
  };
  const alternatives = readArray(merged.anyOf).map(readObject);
  if (alternatives.length > 0) return oldAlternatives(merged, alternatives, depth);
  const kept = Object.fromEntries(Object.entries(merged).filter(([key]) => OLD_KEYS.has(key)));
  const types = (Array.isArray(kept.type) ? kept.type : [kept.type]).map(readText);
  const type = types.find((word) => word !== "null" && word !== "") ?? impliedType(kept);
  kept.type = type;
  if (types.includes("null")) kept.nullable = true;
  if (!OLD_FORMATS[type]?.includes(readText(kept.format))) delete kept.format;
  // An enum has only strings, and no empty one.
  const listed = type === "string" ? readArray(kept.enum).filter((one) => typeof one === "string" && one !== "") : [];
  if (listed.length > 0) kept.enum = listed;
  else delete kept.enum;
  if (type === "array" && kept.items === undefined) kept.items = { type: "string" };
  const properties = readObject(kept.properties);
  if (Object.keys(properties).length === 0) delete kept.properties;
  const required = readArray(kept.required).filter((name) => Object.hasOwn(properties, readText(name)));
  if (required.length > 0) kept.required = required;
  else delete kept.required;
  return mapInner(kept, (inner) => oldSchema(inner, depth + 1));
}

function impliedType({ properties, items }: Json): string {
  if (properties !== undefined) return "object";
  return items === undefined ? "string" : "array";
}

/** `anyOf` allows no other key beside it, and null is no alternative. */
function oldAlternatives({ anyOf: _, ...beside }: Json, alternatives: readonly Json[], depth: number): Json {
  const others = alternatives.filter(({ type }) => type !== "null");
  const nullable = others.length < alternatives.length || beside.nullable === true ? { nullable: true } : {};
  const [only] = others;
  if (!only) return { type: "string", ...nullable };
  if (others.length === 1) return oldSchema({ ...beside, ...only, ...nullable }, depth + 1);
  const told = beside.description === undefined ? {} : { description: beside.description };
  return { anyOf: others.map((one) => oldSchema({ ...told, ...one, ...nullable }, depth + 1)) };
}
