/**
 * Values in the text of a statement: old servers know no parameters of queries. A string literal of ClickHouse ends at an
 * unescaped quote, and the backslash escapes, so these two are all that must be escaped; the rest is for readable logs.
 */
const ESCAPES: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "'": "\\'",
  "\0": "\\0",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\b": "\\b",
  "\f": "\\f",
};

const SPECIAL = /[\\'\0\n\r\t\b\f]/g;

/** A value as ClickHouse reads it in a statement. Throws for what has no literal. */
export function literal(value: unknown): string {
  if (typeof value === "string") return text(value);
  if (typeof value === "boolean") return value ? "1" : "0";
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number" && Number.isFinite(value))
    return Number.isInteger(value) ? whole(value) : String(value);
  throw new TypeError(`no literal for ${typeof value}`);
}

/** A list in parentheses, for `in`. ClickHouse has no empty one: the caller decides what that means. */
export function literals(values: readonly unknown[]): string {
  if (values.length === 0) throw new TypeError("an empty list has no literal");
  return `(${values.map(literal).join(", ")})`;
}

/** The same for the names of columns and tables. */
export function identifier(name: string): string {
  return `\`${name.replace(/[\\`]/g, "\\$&")}\``;
}

function text(value: string): string {
  // Half of a surrogate pair is no text; the server would take the question mark that UTF-8 makes of it.
  return `'${Buffer.from(value)
    .toString()
    .replace(SPECIAL, (character) => ESCAPES[character] ?? character)}'`;
}

/** Without an exponent, which would make it a float. */
function whole(value: number): string {
  return BigInt(value).toString();
}
