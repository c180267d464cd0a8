/** A JSON object whose fields nobody has looked at yet. */
export type Json = Record<string, unknown>;

/** The value as an object; an empty one for anything else. */
export function readObject(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

export function readArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value as text; "" for anything else. */
export function readText(value: unknown): string {
  return typeof value === "string" ? value : "";
}
