import type { Rules } from "../../../../model-rules/schema";
import { type Json, readArray, readObject, readText } from "../../canonical/json";
import type { ChatRequest, Tool } from "../../canonical/request";
import { defined } from "../common/defined";
import { closedSchema } from "../schemas/closed-schema";
import { mapInner } from "../schemas/inner-schemas";
import { encodeWebSearch } from "./web-search";

/** The tools of a request for Claude, and which of them it may choose. */
export function encodeTools(request: ChatRequest, rules: Rules): Json {
  const { parallelToolCalls, webSearch } = request;
  const isForced = request.toolChoice?.type === "required" || request.toolChoice?.type === "tool";
  const toolChoice = isForced && rules.forcedTools === false ? undefined : request.toolChoice;
  const own = encodeAll(request.tools ?? [], rules);
  const tools = [...own, ...(webSearch ? [encodeWebSearch(webSearch)] : [])];
  // A conversation that contains tool calls must declare tools, even when none may be called any more.
  if (tools.length === 0) {
    const called = calledTools(request);
    return called.length > 0 ? { tools: encodeAll(called, rules), tool_choice: { type: "none" } } : {};
  }
  const type = toolChoice?.type === "required" ? "any" : (toolChoice?.type ?? "auto");
  const isSingle = parallelToolCalls === false && type !== "none";
  const choice = defined({
    type,
    name: toolChoice?.type === "tool" ? toolChoice.name : undefined,
    disable_parallel_tool_use: isSingle || undefined,
  });
  const isPlain = !toolChoice && !isSingle;
  return { tools, ...(isPlain ? {} : { tool_choice: choice }) };
}

function calledTools({ messages }: ChatRequest): Tool[] {
  const calls = messages.flatMap((message) =>
    message.role === "assistant" ? message.content.filter((part) => part.type === "tool-call") : [],
  );
  return [...new Set(calls.map(({ name }) => name))].map((name) => ({ name }));
}

function encodeAll(tools: readonly Tool[], rules: Rules): Json[] {
  const { answerSchema, strictMax } = rules;
  const left = { ...(strictMax ?? NO_BOUNDS) };
  return tools.map((tool) => {
    const { name, description, parameters, cache } = tool;
    const strict = tool.strict === true && answerSchema !== false ? strictSchema(parameters, left, rules) : null;
    const plain = parameters ? { ...parameters, type: "object" } : { type: "object", properties: {} };
    return defined({
      name,
      description,
      input_schema: strict ?? plain,
      strict: strict ? true : undefined,
      cache_control: cache,
    });
  });
}

/** What a request may have of schemas that are kept to; one with more is refused as a whole. */
type Room = { tools: number; optional: number; unions: number };
const NO_END = Number.POSITIVE_INFINITY;
const NO_BOUNDS: Room = { tools: NO_END, optional: NO_END, unions: NO_END };

/** Null = the tool is sent without `strict`: its schema has no strict form, or the request has too many of them. */
function strictSchema(parameters: Json | undefined, left: Room, rules: Rules): Json | null {
  const closed = closedSchema({ properties: {}, ...parameters, type: "object" }, rules);
  if (closed === null) return null;
  const needed: Room = { tools: 1, optional: 0, unions: 0 };
  count(closed, needed);
  const fits = needed.tools <= left.tools && needed.optional <= left.optional && needed.unions <= left.unions;
  if (!fits) return null;
  left.tools -= needed.tools;
  left.optional -= needed.optional;
  left.unions -= needed.unions;
  return closed;
}

/** Adds the optional properties and the unions of types in a schema. */
function count(schema: Json, into: Room): void {
  const required = new Set(readArray(schema.required).map(readText));
  into.optional += Object.keys(readObject(schema.properties)).filter((name) => !required.has(name)).length;
  if (Array.isArray(schema.anyOf) || Array.isArray(schema.type)) into.unions += 1;
  mapInner(schema, (inner) => {
    count(inner, into);
    return inner;
  });
}
