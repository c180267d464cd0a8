import { type Json, readArray, readObject, readText } from "../../canonical/json";
import type { Tool } from "../../canonical/request";
import { InvalidRequest } from "../../canonical/wire-error";
import { defined } from "../defined";
import { parseJsonObject } from "../json-text";

/** The one parameter of a function that stands for a tool with free text as its input. */
const INPUT = "input";

export function toolsOf(json: Json): readonly Json[] {
  return readArray(json.tools).map(readObject);
}

/** The names of tools whose input is free text. */
export function customNames(request: Json): ReadonlySet<string> {
  return new Set(toolsOf(request).flatMap(({ type, name }) => (type === "custom" ? [readText(name)] : [])));
}

export function decodeTool({ type, name, description, parameters, strict, format }: Json): Tool {
  if (readText(name) === "") throw new InvalidRequest("a tool must have a name", "tools");
  if (type === "custom") return customTool(readText(name), readText(description), readObject(format));
  return defined({
    name: readText(name),
    description: readText(description) || undefined,
    parameters: parameters === undefined || parameters === null ? undefined : readObject(parameters),
    strict: typeof strict === "boolean" ? strict : undefined,
  });
}

/** Other dialects have functions only: the free text becomes the one parameter, and a grammar is described. */
function customTool(name: string, description: string, { syntax, definition }: Json): Tool {
  const grammar = readText(definition);
  const rule = grammar === "" ? "" : `The input must follow this ${readText(syntax) || "lark"} grammar:\n${grammar}`;
  const parameters = {
    type: "object",
    properties: { [INPUT]: { type: "string" } },
    required: [INPUT],
    additionalProperties: false,
  };
  const told = [description, rule].filter((text) => text !== "").join("\n\n");
  return defined({ name, description: told || undefined, parameters });
}

/** The arguments that stand for a free text. */
export function inputArguments(input: string): string {
  return JSON.stringify({ [INPUT]: input });
}

/** Before and after the pieces of a free text, each written by `inputPiece`. */
export const INPUT_START = `{"${INPUT}":"`;
export const INPUT_END = '"}';

export function inputPiece(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** The free text in a call's arguments; the arguments themselves where a model has not kept to the parameter. */
export function inputOf(values: string): string {
  const input = parseJsonObject(values)?.[INPUT];
  return typeof input === "string" ? input : values;
}
