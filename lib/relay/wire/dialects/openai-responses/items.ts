import { type Json, readArray, readList, readObject, readText } from "../../canonical/json";
import { isFilled } from "../common/reported-error";

/** The items of a request's input; a plain text becomes one message. */
export function itemsOf({ input }: Json): readonly Json[] {
  if (typeof input === "string") return input === "" ? [] : [{ type: "message", role: "user", content: input }];
  return readList(input).map(readObject);
}

/** An item without a type is a message. */
export function typeOf({ type, role }: Json): string {
  return readText(type) || (typeof role === "string" ? "message" : "");
}

/** Whether the item stands for one that the upstream has stored. Its type may be left out. */
export function isReference(item: Json): boolean {
  const type = typeOf(item);
  return type === "item_reference" || (type === "" && isFilled(item.id));
}

/** Content as parts; a plain text becomes one part. */
export function partsOf(content: unknown): readonly Json[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "input_text", text: content }];
  return readList(content).map(readObject);
}

/** The parts of a message, or of a tool's result. */
export function itemParts(item: Json): readonly Json[] {
  return typeOf(item) === "message" ? partsOf(item.content) : partsOf(item.output);
}

/** The text of a part; "" = none. */
export function partText({ text, refusal }: Json): string {
  return readText(text) || readText(refusal);
}

/** The summary of a thought, and the thought itself where an upstream tells it. */
export function thoughtTexts({ summary, content }: Json): string[] {
  return [...readArray(summary), ...readArray(content)].map((part) => readText(readObject(part).text));
}

/** Stands between two parts of a thought. */
export const THOUGHT_BREAK = "\n\n";
