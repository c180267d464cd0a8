/**
 * PostgreSQL accepts neither NUL nor an unpaired surrogate; such text must not prevent a charge or an event. The plain search runs
 * first because it is many times faster than the regular expression and hardly ever matches.
 */
export function cleanJson(text: string): string {
  if (!text.includes("\\u") || !/\\u0000|\\ud[89a-f]/i.test(text)) return text;
  return JSON.stringify(JSON.parse(text, cleanText));
}

function cleanText(_key: string, value: unknown): unknown {
  if (typeof value === "string") return Buffer.from(value.replaceAll("\0", "")).toString();
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [cleanText("", key), item]));
}
