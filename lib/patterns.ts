const LENGTH_MAX = 200;
const COUNT_MAX = 20;
/** A repeated group that repeats inside, or has alternatives, may take exponential time. */
const NESTED = /\((?:[^()\\]|\\.)*(?:[*+|]|\{\d)(?:[^()\\]|\\.)*\)\s*(?:[*+]|\{\d)/;
/** Groups within groups are not looked into, and back references can be as slow. */
const DEEP = /\([^()]*\([^()]*\)[^()]*\)\s*(?:[*+]|\{\d)|\\[1-9]/;

/** Whether a text is a regular expression that is short and simple enough to be run on any text. */
export function isSafePattern(text: string): boolean {
  if (text === "" || text.length > LENGTH_MAX || NESTED.test(text) || DEEP.test(text)) return false;
  if ((text.match(/[*+]|\{\d*,/g) ?? []).length > 3) return false;
  try {
    return !new RegExp(text, "u").test("");
  } catch {
    return false;
  }
}

/** Null = one of them is not safe, or they are too many. */
export function compilePatterns(lines: readonly string[]): RegExp[] | null {
  if (lines.length > COUNT_MAX || !lines.every(isSafePattern)) return null;
  return lines.map((line) => new RegExp(line, "gu"));
}
