import type { EditorFields } from "@/lib/relay/upstreams/editor-fields";

/** Whether a key, or each of several lines, has the form that its type needs. Nothing is fine: the server says if not. */
export function isKeyWellFormed({ isKeyDocument, keyParts, separator }: EditorFields, text: string): boolean {
  if (text.trim() === "") return true;
  if (isKeyDocument) return isJsonObject(text);
  // A dash may be part of what it joins.
  if (keyParts.length === 0 || separator !== "|") return true;
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.every((line) => {
    const parts = line.split(separator);
    return parts.length === keyParts.length && parts.every((part) => part.trim() !== "");
  });
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
