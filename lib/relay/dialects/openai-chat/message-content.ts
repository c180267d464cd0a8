import { readArray, readObject, readText } from "../../canonical/json";

/** Reads a response's content: a string, or a list of parts as some upstreams send it. */
export function contentTexts(content: unknown): { text: string; thinking: string } {
  if (typeof content === "string") return { text: content, thinking: "" };
  const found = { text: "", thinking: "" };
  for (const value of readArray(content)) {
    const part = readObject(value);
    if (part.type === "thinking") found.thinking += readText(part.thinking) || contentTexts(part.thinking).text;
    else found.text += readText(part.text);
  }
  return found;
}
