import { BOUNDS } from "../../../../model-rules/rows/claude";
import type { Rules } from "../../../../model-rules/schema";
import { type Json, readArray, readObject, readText } from "../../canonical/json";
import { mapInner } from "./inner-schemas";

/** Deeper schemas are not taken. */
const DEPTH_MAX = 32;

/** Refused, and not to be said shortly. */
const LOOSE = ["not", "if", "patternProperties", "propertyNames", "dependentRequired", "dependentSchemas"];
/** The formats that Claude enforces; others go to the description. */
const FORMATS = ["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"];
/** What regular expressions may not have: lookaround, back references, word boundaries. */
const DIFFICULT_PATTERN = /\(\?(?!:)|\\[bB1-9]/;

/**
 * The schema as Anthropic and Bedrock take it: objects have no other properties than those named, oneOf is anyOf, and bounds are
 * told in descriptions. Null = it cannot be said so. https://platform.claude.com/docs/en/build-with-claude/structured-outputs
 */
export function closedSchema(schema: Json, { schemaWithout = BOUNDS }: Rules): Json | null {
  let isClosed = !isRecursive(schema);
  const close = (written: Json, depth: number): Json => {
    const given = withoutSingle(written);
    // What tells alternatives apart is in themselves, too; the word is OpenAPI's.
    const { oneOf, discriminator: _, ...rest } = given;
    const isObject = rest.properties !== undefined || rest.type === "object" || readArray(rest.type).includes("object");
    const isMap = isObject && (rest.properties === undefined || isOpen(rest));
    const isOutside = rest.$ref !== undefined && !readText(rest.$ref).startsWith("#/");
    const isRefused =
      isOutside || hasObjects(rest.enum) || rest.allOf !== undefined || LOOSE.some((word) => rest[word] !== undefined);
    if (depth > DEPTH_MAX || isMap || isRefused) {
      isClosed = false;
      return given;
    }
    const { anyOf = oneOf } = rest;
    const closed = withBoundsTold(schemaWithout, { ...rest, ...(anyOf === undefined ? {} : { anyOf }) });
    if (isObject) closed.additionalProperties = false;
    return mapInner(closed, (inner) => close(inner, depth + 1));
  };
  const whole = close(schema, 0);
  return isClosed ? whole : null;
}

/** Pydantic writes a reference beside a description so. Of several parts, none may be closed without the others. */
function withoutSingle(schema: Json): Json {
  const { allOf, ...rest } = schema;
  const [only] = readArray(allOf);
  return readArray(allOf).length === 1 ? { ...readObject(only), ...rest } : schema;
}

function isOpen({ additionalProperties: others }: Json): boolean {
  return others !== undefined && others !== false;
}

/** Values to choose from must be plain. */
function hasObjects(values: unknown): boolean {
  return readArray(values).some((value) => typeof value === "object" && value !== null);
}

/** Whether a definition refers to itself. */
function isRecursive({ $defs, definitions }: Json): boolean {
  const named = Object.entries({ ...readObject(definitions), ...readObject($defs) });
  if (named.length === 0) return false;
  const inside = new Map(named.map(([name, schema]) => [name, referencesIn(schema)]));
  const done = new Set<string>();
  const open = new Set<string>();
  const visit = (name: string): boolean => {
    if (done.has(name)) return false;
    if (open.has(name) || open.size > DEPTH_MAX) return true;
    open.add(name);
    const found = (inside.get(name) ?? []).some(visit);
    open.delete(name);
    done.add(name);
    return found;
  };
  return named.some(([name]) => visit(name));
}

const REFERENCE = /"\$ref":"#\/(?:\$defs|definitions)\/([^"/]+)"/g;

function referencesIn(schema: unknown): string[] {
  return [...JSON.stringify(schema).matchAll(REFERENCE)].map(([, name = ""]) => name);
}

function withBoundsTold(refused: readonly string[], schema: Json): Json {
  const isRefused = (name: string): boolean =>
    refused.includes(name) ||
    (name === "minItems" && schema.minItems !== 0 && schema.minItems !== 1) ||
    (name === "format" && !FORMATS.includes(readText(schema.format))) ||
    (name === "pattern" && DIFFICULT_PATTERN.test(readText(schema.pattern)));
  const bounds = Object.entries(schema).filter(([name]) => isRefused(name));
  if (bounds.length === 0) return schema;
  const kept: Json = Object.fromEntries(Object.entries(schema).filter(([name]) => !isRefused(name)));
  const told = bounds.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join(", ");
  return { ...kept, description: [readText(kept.description), `(${told})`].filter((text) => text !== "").join(" ") };
}
