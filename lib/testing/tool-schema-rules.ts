// What providers refuse in the schemas of tools, each with the place where they say so.

type Schema = Readonly<Record<string, unknown>>;

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * "input_schema does not support oneOf, allOf, or anyOf at the top level" (Anthropic, Bedrock, Vertex AI;
 * https://github.com/anthropics/claude-code/issues/5319); OpenAI wants an object without these, enum and not
 * (https://github.com/langchain-ai/langchainjs/issues/9804), and its properties. Null = nothing is refused.
 */
export function findRootFault(schema: unknown, words: readonly string[] = ["oneOf", "anyOf", "allOf"]): string | null {
  if (!isSchema(schema)) return "the schema is no object";
  if (schema.type !== "object") return "the schema's type must be object";
  const word = words.find((one) => schema[one] !== undefined);
  return word === undefined ? null : `${word} is not supported at the top level`;
}

export const OPENAI_ROOT = ["oneOf", "anyOf", "allOf", "enum", "not"];

const REFUSED = [
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "maxItems"],
  ...["uniqueItems", "minProperties", "maxProperties", "contains", "not", "if", "patternProperties", "propertyNames"],
  ...["oneOf", "dependentRequired", "dependentSchemas"],
];
const FORMATS = ["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"];

/**
 * What Claude refuses in a schema that is to be kept to: https://platform.claude.com/docs/en/build-with-claude/structured-outputs
 * (JSON Schema limitations) and https://docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html
 */
export function findClaudeStrictFault(schema: unknown, at = "input_schema"): string | null {
  if (Array.isArray(schema)) return firstOf(schema.map((one, i) => findClaudeStrictFault(one, `${at}.${i}`)));
  if (!isSchema(schema)) return null;
  const word = REFUSED.find((one) => schema[one] !== undefined);
  if (word !== undefined) return `${at}: property '${word}' is not supported`;
  if (typeof schema.minItems === "number" && schema.minItems > 1) return `${at}: minItems must be 0 or 1`;
  if (typeof schema.format === "string" && !FORMATS.includes(schema.format)) return `${at}: format ${schema.format}`;
  if (typeof schema.$ref === "string" && !schema.$ref.startsWith("#/")) return `${at}: $ref ${schema.$ref}`;
  if (schema.type === "object" && schema.additionalProperties !== false) {
    return `${at}: for 'object' type, 'additionalProperties' must be explicitly set to false`;
  }
  const named = ["properties", "$defs", "definitions"].flatMap((key) => Object.entries(schema[key] ?? {}));
  const inner = [...named, ...["items", "anyOf", "allOf"].map((key) => [key, schema[key]] as const)];
  return firstOf(inner.map(([name, one]) => findClaudeStrictFault(one, `${at}.${name}`)));
}

const firstOf = (faults: readonly (string | null)[]): string | null => faults.find((fault) => fault !== null) ?? null;

/** Nova's schemas have three words at the root: https://docs.aws.amazon.com/nova/latest/userguide/tool-use-definition.html */
export function findNovaFault(schema: unknown): string | null {
  const other = Object.keys(isSchema(schema) ? schema : {}).find(
    (key) => !["type", "properties", "required"].includes(key),
  );
  return other === undefined ? findRootFault(schema) : `${other} is not supported at the top level`;
}

/**
 * Gemini's own form of schemas, as older models take it: nothing beside any_of, items of every array, texts to choose from that
 * are not empty, and required names that are properties. https://ai.google.dev/api/caching#Schema
 */
export function findGeminiFault(schema: unknown, at = "parameters"): string | null {
  if (!isSchema(schema)) return null;
  const { anyOf, items, properties, required = [], type, ...rest } = schema;
  if (anyOf !== undefined && Object.keys({ ...rest, ...(type ? { type } : {}) }).length > 0) {
    return `${at}: when using any_of, it must be the only field set`;
  }
  if (anyOf === undefined && typeof type !== "string") return `${at}.type: missing field`;
  if (type === "array" && items === undefined) return `${at}.items: missing field`;
  if (Array.isArray(rest.enum) && rest.enum.some((one) => one === "")) return `${at}.enum: cannot be empty`;
  const names = Object.keys(properties ?? {});
  const lost = (required as string[]).find((name) => !names.includes(name));
  if (lost !== undefined) return `${at}.required: property ${lost} is not defined`;
  const inner = [
    ...Object.entries(properties ?? {}),
    ...(Array.isArray(anyOf) ? anyOf : [items]).map((one) => ["", one] as const),
  ];
  return firstOf(inner.map(([name, one]) => findGeminiFault(one, `${at}.${name}`)));
}
