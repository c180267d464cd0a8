import type { EditorFields } from "@/lib/provider-catalogue/editor-fields";

/**
 * Whether the key, or each line of several keys, has the format of its type. Empty is accepted; the server checks
 * whether a key is required.
 */
export function isKeyWellFormed(fields: EditorFields, text: string): boolean {
  const { isKeyDocument, keyParts, otherKeyParts, separator } = fields;
  if (text.trim() === "") return true;
  if (isKeyDocument) return isJsonObject(text) || (otherKeyParts.length > 0 && isPlainKey(text));
  // Keys joined by another separator (a dash) are not checked: a part may contain the separator itself.
  if ((keyParts.length === 0 && otherKeyParts.length === 0) || separator !== "|") return true;
  const counts = [keyParts.length || 1, ...otherKeyParts.map(({ length }) => length)];
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.every((line) => {
    const parts = line.split(separator);
    return counts.includes(parts.length) && parts.every((part) => part.trim() !== "");
  });
}

function isPlainKey(text: string): boolean {
  return /^[^\s{]+$/.test(text.trim());
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
