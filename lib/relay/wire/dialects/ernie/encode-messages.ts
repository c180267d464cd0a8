import type { Json } from "../../canonical/json";
import type { AssistantPart, Message } from "../../canonical/request";
import { defined } from "../common/defined";
import { parseJsonObject } from "../common/json-text";
import { FILLER, plainText } from "../common/plain-content";
import { type ToolResult, takeTurns, withRemarks } from "../common/turns";

type Call = Extract<AssistantPart, { type: "tool-call" }>;
type Answered = { call: Call; result: ToolResult };

/** `preface` is put in front of the first message, which is the user's. */
export function encodeMessages(messages: readonly Message[], preface: string): Json[] {
  const turns = takeTurns(withRemarks(messages));
  const encoded = turns.flatMap((turn, at): Json[] => {
    if (turn.role === "user") return [{ role: "user", content: filled(plainText(turn.content)) }];
    // They are said with the calls that they belong to.
    if (turn.role === "results") return [];
    const next = turns[at + 1];
    return encodeAssistant(turn.content, next?.role === "results" ? next.results : []);
  });
  const [first] = encoded;
  if (first && preface !== "") first.content = `${preface}\n\n${String(first.content)}`;
  return encoded;
}

const filled = (text: string): string => (text.trim() === "" ? FILLER : text);

/** A turn of the model with the results of its calls: a message has one call, so that each is followed by its result. */
function encodeAssistant(parts: readonly AssistantPart[], results: readonly ToolResult[]): Json[] {
  const text = parts.map((part) => (part.type === "text" || part.type === "refusal" ? part.text : "")).join("");
  const thoughts = parts.map((part) => (part.type === "thinking" && !part.signature ? part.text : "")).join("");
  const calls = parts.filter((part) => part.type === "tool-call");
  const [first, ...others] = inOrder(calls, results);
  const call = first?.call ?? calls[0];
  if (!call) return [{ role: "assistant", content: filled(text) }];
  const said: Json = { role: "assistant", content: text, function_call: encodeCall(call, thoughts) };
  if (!first) return [said];
  const more = others.flatMap(({ call: other, result }): Json[] => [
    { role: "assistant", content: "", function_call: encodeCall(other, "") },
    encodeResult(other, result),
  ]);
  return [said, encodeResult(call, first.result), ...more];
}

/** The results in the order of their calls; one whose call is missing gets one. */
function inOrder(calls: readonly Call[], results: readonly ToolResult[]): Answered[] {
  const rest = new Set(results);
  const answered: Answered[] = [];
  const byCall = new Map<string, ToolResult[]>();
  for (const result of results.toReversed()) {
    const others = byCall.get(result.toolCallId);
    if (others) others.push(result);
    else byCall.set(result.toolCallId, [result]);
  }
  for (const call of calls) {
    const result = byCall.get(call.id)?.pop();
    if (!result) continue;
    answered.push({ call, result });
    rest.delete(result);
  }
  for (const result of rest) {
    const name = result.toolName ?? result.toolCallId;
    answered.push({ call: { type: "tool-call", id: result.toolCallId, name, arguments: "{}" }, result });
  }
  return answered;
}

function encodeCall({ name, arguments: values }: Call, thoughts: string): Json {
  return defined({ name, arguments: values || "{}", thoughts: thoughts === "" ? undefined : thoughts });
}

function encodeResult({ name }: Call, { content, isError }: ToolResult): Json {
  const text = plainText(content);
  const isObject = !isError && parseJsonObject(text) !== null;
  return {
    role: "function",
    name,
    content: isObject ? text : JSON.stringify({ [isError ? "error" : "output"]: text }),
  };
}
