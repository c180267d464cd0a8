import { type Json, readArray, readText } from "../canonical/json";
import { mapInner } from "./inner-schemas";

/** Deeper schemas are not taken. */
const DEPTH_MAX = 32;

/** What Anthropic and Bedrock refuse in a schema for an answer, and what a model can heed where it is told of it. */
const BOUNDS = [
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength"],
  ...["maxItems", "uniqueItems", "minProperties", "maxProperties"],
];
/** Refused too, and not to be said shortly. */
const LOOSE = ["not", "if", "patternProperties", "propertyNames", "dependentRequired", "dependentSchemas"];

/**
 * The schema as Anthropic and Bedrock take it: objects have no other properties than those named, oneOf is anyOf, and bounds are
 * told in descriptions. Null = it cannot be said so. https://platform.claude.com/docs/en/build-with-claude/structured-outputs
 */
export function closedSchema(schema: Json): Json | null {
  let isClosed = true;
  const close = (given: Json, depth: number): Json => {
    const { oneOf, ...rest } = given;
    const isObject = rest.properties !== undefined || rest.type === "object" || readArray(rest.type).includes("object");
    const isMap = isObject && (rest.properties === undefined || isOpen(rest));
    if (depth > DEPTH_MAX || isMap || rest.$ref === "#" || LOOSE.some((word) => rest[word] !== undefined)) {
      isClosed = false;
      return given;
    }
    const written = withBoundsTold({ ...rest, ...(oneOf === undefined ? {} : { anyOf: oneOf }) });
    if (isObject) written.additionalProperties = false;
    return mapInner(written, (inner) => close(inner, depth + 1));
  };
  const closed = close(schema, 0);
  return isClosed ? closed : null;
}

function isOpen({ additionalProperties: others }: Json): boolean {
  return others !== undefined && others !== false;
}

function withBoundsTold(schema: Json): Json {
  const isRefused = (name: string): boolean =>
    BOUNDS.includes(name) || (name === "minItems" && schema.minItems !== 0 && schema.minItems !== 1);
  const bounds = Object.entries(schema).filter(([name]) => isRefused(name));
  if (bounds.length === 0) return schema;
  const kept: Json = Object.fromEntries(Object.entries(schema).filter(([name]) => !isRefused(name)));
  const told = bounds.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join(", ");
  return { ...kept, description: [readText(kept.description), `(${told})`].filter((text) => text !== "").join(" ") };
}
