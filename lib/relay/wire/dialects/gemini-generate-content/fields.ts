import { type Json, readList, readObject } from "../../canonical/json";

const snakeNames = new Map<string, string>();

function snakeOf(name: string): string {
  const known = snakeNames.get(name);
  if (known !== undefined) return known;
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  snakeNames.set(name, snake);
  return snake;
}

/** The name under which a field is given: Google takes both generationConfig and generation_config. */
export function givenName(json: Json, name: string): string {
  const snake = snakeOf(name);
  return (json[name] ?? null) === null && (json[snake] ?? null) !== null ? snake : name;
}

/** A field in either spelling. */
export function field(json: Json, name: string): unknown {
  return json[name] ?? json[snakeOf(name)];
}

export function objectField(json: Json, name: string): Json {
  return readObject(field(json, name));
}

/** The fields with these names, under the usual spelling. */
export function usualNames(json: Json, names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [name, field(json, name)]));
}

export function generationConfig(json: Json): Json {
  return objectField(json, "generationConfig");
}

/** Where Google has a list, one object without a list is taken as well. */
function listOf(value: unknown): readonly Json[] {
  return readList(value).map(readObject);
}

export function contentsOf(json: Json): readonly Json[] {
  return typeof json.contents === "string" ? [] : listOf(json.contents);
}

export function partsOf(content: unknown): readonly Json[] {
  return listOf(readObject(content).parts);
}

/** The parts of all contents, and the media within the results of tools. */
export function allParts(json: Json): Json[] {
  const parts: Json[] = [];
  for (const content of contentsOf(json)) {
    for (const part of partsOf(content)) {
      parts.push(part);
      const result = field(part, "functionResponse");
      if (result !== undefined) for (const inner of partsOf(result)) parts.push(inner);
    }
  }
  return parts;
}

export function systemParts(json: Json): readonly Json[] {
  const given = field(json, "systemInstruction");
  return typeof given === "string" ? [{ text: given }] : listOf(given).flatMap(partsOf);
}

export function toolsOf(json: Json): readonly Json[] {
  return listOf(json.tools);
}

export function declarationsOf(tool: Json): readonly Json[] {
  return listOf(field(tool, "functionDeclarations"));
}

/** Whether it holds nothing but functions of the caller; every other tool runs at Google. */
export function isOwnTool(tool: Json): boolean {
  return Object.entries(tool).every(([name, value]) => {
    return name === "functionDeclarations" || name === "function_declarations" || value === null;
  });
}
