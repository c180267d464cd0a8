import { type Json, readArray, readObject, readText } from "../../canonical/json";

/** Multimodal models write a list of parts, the others a text. */
export function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  let text = "";
  for (const part of readArray(content)) text += readText(readObject(part).text);
  return text;
}

/** The choices of an answer; some older models have nothing but a text. */
export function choicesOf(json: Json): readonly Json[] {
  const output = readObject(json.output);
  const choices = readArray(output.choices);
  if (choices.length > 0) return choices.map(readObject);
  if (typeof output.text !== "string") return [];
  return [{ message: { content: output.text }, finish_reason: output.finish_reason }];
}

/** Some models write an object where the format has JSON text. */
export function argumentsText(value: unknown): string {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : readText(value);
}

export function indexOf(choice: Json, position: number): number {
  return typeof choice.index === "number" ? choice.index : position;
}
