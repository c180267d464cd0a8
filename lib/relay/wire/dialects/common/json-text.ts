import type { Json } from "../../canonical/json";

/** Null when the text is not a JSON object. */
export function parseJsonObject(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : null;
  } catch {
    return null;
  }
}
