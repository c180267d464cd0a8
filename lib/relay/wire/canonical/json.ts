/** A JSON object with unchecked fields. */
export type Json = Record<string, unknown>;

/** The value if it is an object, else {}. */
export function readObject(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

export function readArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A list as it is, and anything else that is given as a list of it: some readers take both for the same. */
export function readList(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return value === undefined || value === null ? [] : [value];
}

/** The value if it is a string, else "". */
export function readText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function isFilledObject(value: unknown): boolean {
  return Object.keys(readObject(value)).length > 0;
}
