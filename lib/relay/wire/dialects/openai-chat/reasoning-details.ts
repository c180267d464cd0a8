import { type Json, readArray, readObject, readText } from "../../canonical/json";
import type { AssistantPart } from "../../canonical/request";

/** A piece of thinking that a client stores and sends back in the next request. */
type Thought = Extract<AssistantPart, { type: "thinking" | "redacted-thinking" }>;

/** Text of `reasoning_content` or `reasoning`; "" = neither. */
export function reasoningText({ reasoning_content: content, reasoning }: Json): string {
  return readText(content) || readText(reasoning);
}

/** Entries of `reasoning_details` in another vendor's format cannot be used here. */
function isForeign({ format }: Json): boolean {
  return typeof format === "string" && !format.startsWith("anthropic");
}

/** The thinking in a message: from `reasoning_details` when these are signed or redacted, else the plain text. */
export function decodeThoughts(message: Json): Thought[] {
  const details = decodeDetails(message.reasoning_details);
  if (details.some((thought) => thought.type === "redacted-thinking" || thought.signature !== undefined))
    return details;
  const text = reasoningText(message);
  if (text !== "") return [{ type: "thinking", text }];
  return details;
}

export function decodeDetails(value: unknown): Thought[] {
  return readArray(value)
    .map(readObject)
    .flatMap((entry): Thought[] => {
      if (isForeign(entry)) return [];
      const text = readText(entry.text) || readText(entry.summary);
      const signature = readText(entry.signature);
      if (entry.type === "reasoning.encrypted") return [{ type: "redacted-thinking", data: readText(entry.data) }];
      if (signature !== "") return [{ type: "thinking", text, signature }];
      return text === "" ? [] : [{ type: "thinking", text }];
    });
}

/** An entry of `reasoning_details` that a client can send back unchanged. `index` counts the entries of a message. */
export function encodeDetail(thought: Thought, index: number): Json {
  if (thought.type === "redacted-thinking") return { type: "reasoning.encrypted", data: thought.data, index };
  return { type: "reasoning.text", text: thought.text, signature: thought.signature ?? null, index };
}

/** Details are needed only when plain text would lose a signature or redacted thinking. */
export function needsDetails(thoughts: readonly Thought[]): boolean {
  return thoughts.some((thought) => thought.type === "redacted-thinking" || thought.signature !== undefined);
}
