import { type Json, readList, readObject, readText } from "../../canonical/json";
import type { Tool } from "../../canonical/request";
import { InvalidRequest } from "../../canonical/wire-error";
import { defined } from "../common/defined";
import { parseJsonObject } from "../common/json-text";
import { itemsOf } from "./items";

/** The one parameter of a function that stands for a tool with free text as its input. */
const INPUT = "input";

export function toolsOf(json: Json): readonly Json[] {
  return readList(json.tools).map(readObject);
}

/** Items that bring more tools into a conversation. */
const BRINGING = new Set(["additional_tools", "tool_search_output"]);

/** Whether the item only says which tools there are, or asks for more: elsewhere all tools are sent from the beginning. */
export function isAboutTools({ type }: Json): boolean {
  return type === "tool_search_call" || BRINGING.has(readText(type));
}

/** The tools of the request, and those that its items bring in. */
export function allTools(json: Json): readonly Json[] {
  const brought = itemsOf(json).flatMap(({ type, tools }) => (BRINGING.has(readText(type)) ? readList(tools) : []));
  return brought.length === 0 ? toolsOf(json) : [...toolsOf(json), ...brought.map(readObject)];
}

/** Functions outside OpenAI have shorter names. */
const NAME_LENGTH_MAX = 64;

/** The one name that a tool of a namespace has in other dialects; "" = no namespace. */
export function fullName(namespace: string, name: string): string {
  if (namespace === "" || name === "") return name;
  return `${namespace}${namespace.endsWith("_") ? "" : "__"}${name}`.slice(-NAME_LENGTH_MAX);
}

/** All tools by themselves: those of a namespace have their full names, and what a search has found again is there once. */
export function flatTools(json: Json): readonly Json[] {
  const all = allTools(json).flatMap((tool) => {
    if (tool.type !== "namespace") return [tool];
    const inner = readList(tool.tools).map(readObject);
    return inner.map((one) => ({ ...one, name: fullName(readText(tool.name), readText(one.name)) }));
  });
  const known = new Set<string>();
  return all.filter(({ name }) => {
    const isNew = !known.has(readText(name));
    if (readText(name) !== "") known.add(readText(name));
    return isNew;
  });
}

/** How a client declared a tool. */
export type Declared = { name: string; namespace: string | undefined; isFree: boolean };

/** By full name, the tools whose calls do not look like those of a function alone. */
export function declaredTools(request: Json): ReadonlyMap<string, Declared> {
  const declared = new Map<string, Declared>();
  const add = ({ type, name }: Json, namespace: string): void => {
    const isFree = type === "custom";
    const own = readText(name);
    if (isFree || namespace !== "") {
      declared.set(fullName(namespace, own), { name: own, namespace: namespace || undefined, isFree });
    }
  };
  for (const tool of allTools(request)) {
    if (tool.type !== "namespace") add(tool, "");
    else for (const inner of readList(tool.tools)) add(readObject(inner), readText(tool.name));
  }
  return declared;
}

/** Tools of OpenAI's that a model can do without. */
const SPARE = /^(?:web_search|image_generation|tool_search)/;
/** Those of them that cost more than tokens. */
const DEAR = /^(?:web_search|image_generation)/;

/** For tools that coding clients offer with their own, whether the upstream has them or not. */
export function spareAmong(all: readonly Json[]): (tool: Json) => boolean {
  const hasOwn = all.some(({ type }) => type === "function" || type === "custom");
  return (tool) => hasOwn && SPARE.test(readText(tool.type));
}

/** The request without what it can do without and what would cost more than tokens; null = there is no such tool. */
export function withoutDearTools(json: Json): Json | null {
  const tools = toolsOf(json);
  const isSpare = spareAmong(tools);
  const isDear = (tool: Json): boolean => DEAR.test(readText(tool.type)) && isSpare(tool);
  const chosen = readText(readObject(json.tool_choice).type);
  if (DEAR.test(chosen) || !tools.some(isDear)) return null;
  return { ...json, tools: tools.filter((tool) => !isDear(tool)) };
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
