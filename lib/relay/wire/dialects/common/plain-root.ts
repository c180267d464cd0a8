import { type Json, readArray, readObject, readText } from "../../canonical/json";
import { followReference } from "../schemas/schema-references";

/** Deeper alternatives are not followed. */
const DEPTH_MAX = 8;

/** The parameters of a tool with a plain object at the root. `told`: what could only be said in words; "" = nothing. */
export type PlainRoot = { schema: Json; told: string };

type Branch = {
  properties: Map<string, Json>;
  required: Set<string>;
  isClosed: boolean;
  words: string[];
};

/**
 * Anthropic and OpenAI refuse a whole request for one tool that has alternatives at the root of its parameters, so these
 * are merged: a property of any alternative can be given, and one is required where every alternative requires it.
 * https://github.com/anthropics/claude-code/issues/5319 (Anthropic's words),
 * https://github.com/langchain-ai/langchainjs/issues/9804 (OpenAI's words)
 */
export function plainRoot(given: Json): PlainRoot {
  const root = followReference(given, given);
  const { allOf: _, anyOf: __, oneOf: ___, not, enum: values, ...others } = root;
  const { unevaluatedProperties: ____, discriminator: _____, ...rest } = others;
  const isPlain = Object.keys(rest).length === Object.keys(root).length && root === given;
  if (isPlain) return { schema: withObjectType(given), told: "" };
  const { properties, required, isClosed, words } = branchOf(root, given, 0);
  const schema: Json = { ...rest, type: "object", properties: Object.fromEntries(properties) };
  if (required.size > 0) schema.required = [...required];
  else delete schema.required;
  if (isClosed) schema.additionalProperties = false;
  if (not !== undefined) words.push(`They must not fit ${JSON.stringify(not)}.`);
  if (values !== undefined) words.push(`They must be one of ${JSON.stringify(values)}.`);
  return { schema, told: words.length === 0 ? "" : `About the parameters: ${words.join(" ")}` };
}

/** The root must say that it is an object, and nothing else. */
function withObjectType(schema: Json): Json {
  const { type, properties } = schema;
  const isSaid = type === "object" && properties !== undefined;
  if (isSaid || (typeof type === "string" && type !== "object")) return schema;
  const isMap = properties === undefined && schema.additionalProperties !== undefined;
  return { ...schema, type: "object", ...(properties === undefined && !isMap ? { properties: {} } : {}) };
}

function branchOf(given: Json, root: Json, depth: number): Branch {
  const schema = followReference(given, root);
  const branch: Branch = {
    properties: new Map(Object.entries(readObject(schema.properties)).map(([name, one]) => [name, readObject(one)])),
    required: new Set(readArray(schema.required).map(readText)),
    isClosed: schema.additionalProperties === false || schema.unevaluatedProperties === false,
    words: [],
  };
  if (depth > DEPTH_MAX) return branch;
  for (const part of readArray(schema.allOf)) addPart(branch, branchOf(readObject(part), root, depth + 1));
  for (const key of ["anyOf", "oneOf"]) {
    const list = readArray(schema[key]).map(readObject);
    if (list.length === 0) continue;
    const branches = list.map((one) => branchOf(one, root, depth + 1));
    addAlternatives(branch, branches);
    const number = key === "oneOf" ? "exactly" : "at least";
    const told = branches.map((one, at) => `(${at + 1}) ${wordsOf(one, list[at] ?? {})}`).join("; ");
    branch.words.push(`They must fit ${number} one of these: ${told}.`);
  }
  return branch;
}

/** All parts of `allOf` apply. */
function addPart(branch: Branch, part: Branch): void {
  for (const [name, schema] of part.properties) {
    branch.properties.set(name, { ...branch.properties.get(name), ...schema });
  }
  for (const name of part.required) branch.required.add(name);
  branch.isClosed ||= part.isClosed;
  branch.words.push(...part.words);
}

/** One of the alternatives applies. */
function addAlternatives(branch: Branch, alternatives: readonly Branch[]): void {
  const names = new Set(alternatives.flatMap(({ properties }) => [...properties.keys()]));
  for (const name of names) {
    const schemas = alternatives.map(({ properties }) => properties.get(name)).filter((one) => one !== undefined);
    branch.properties.set(name, { ...branch.properties.get(name), ...oneOfThem(schemas) });
  }
  const [first] = alternatives;
  for (const name of first?.required ?? []) {
    if (alternatives.every(({ required }) => required.has(name))) branch.required.add(name);
  }
  branch.isClosed ||= alternatives.every(({ isClosed }) => isClosed);
}

/** Words that a property which tells the alternatives apart may have beside its value. */
const PLAIN_WORDS = new Set(["const", "enum", "type", "description", "title"]);

function valuesOf(schema: Json): readonly unknown[] | null {
  if (!Object.keys(schema).every((key) => PLAIN_WORDS.has(key))) return null;
  if (schema.const !== undefined) return [schema.const];
  return Array.isArray(schema.enum) ? schema.enum : null;
}

function oneOfThem(given: readonly Json[]): Json {
  const byText = new Map(given.map((schema) => [JSON.stringify(schema), schema]));
  const schemas = [...byText.values()];
  const [only] = schemas;
  if (only && schemas.length === 1) return only;
  const values = schemas.map(valuesOf);
  if (!values.every((one) => one !== null)) return { anyOf: schemas };
  const { const: _, ...first } = Object.assign({}, ...schemas.toReversed()) as Json;
  return { ...first, enum: [...new Set(values.flat())] };
}

/** What an alternative asks for, as a person would say it. */
function wordsOf({ properties, required, words }: Branch, schema: Json): string {
  const said = [...properties].flatMap(([name, { const: value }]) =>
    value === undefined ? [] : [`${name} = ${JSON.stringify(value)}`],
  );
  const named = [...required].filter((name) => properties.get(name)?.const === undefined);
  const optional = [...properties.keys()].filter((name) => !required.has(name));
  if (named.length > 0) said.push(`with ${named.join(", ")}`);
  if (optional.length > 0) said.push(`optionally ${optional.join(", ")}`);
  if (said.length === 0 || schema.not !== undefined) said.push(JSON.stringify(schema));
  return [said.join(", "), ...words].join(" ");
}
