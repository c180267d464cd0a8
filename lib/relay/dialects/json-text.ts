import type { Json } from "../canonical/json";

const OBJECT_AFTER_COLON = /\s*:\s*(?=\{)/y;

/** Parses the last object under this key anywhere in JSON text; null when there is none. `quotedKey` includes the quotes. */
export function findLastObject(text: string, quotedKey: string): Json | null {
  for (let at = text.lastIndexOf(quotedKey); at !== -1; at = at === 0 ? -1 : text.lastIndexOf(quotedKey, at - 1)) {
    OBJECT_AFTER_COLON.lastIndex = at + quotedKey.length;
    if (!OBJECT_AFTER_COLON.test(text)) continue;
    const start = OBJECT_AFTER_COLON.lastIndex;
    return parseJsonObject(text.slice(start, endOfObject(text, start)));
  }
  return null;
}

/** Null when the text is not a JSON object. */
export function parseJsonObject(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : null;
  } catch {
    return null;
  }
}

/** The index after the object that starts at `start`; the text's length when the object is not closed. */
function endOfObject(text: string, start: number): number {
  const marks = /["{}]/g;
  marks.lastIndex = start;
  let depth = 0;
  for (let found = marks.exec(text); found; found = marks.exec(text)) {
    if (found[0] === '"') marks.lastIndex = endOfString(text, found.index);
    else depth += found[0] === "{" ? 1 : -1;
    if (depth === 0) return marks.lastIndex;
  }
  return text.length;
}

function endOfString(text: string, start: number): number {
  for (let from = start + 1; ; ) {
    const end = text.indexOf('"', from);
    if (end === -1) return text.length;
    let slashes = 0;
    while (text[end - 1 - slashes] === "\\") slashes += 1;
    if (slashes % 2 === 0) return end + 1;
    from = end + 1;
  }
}
