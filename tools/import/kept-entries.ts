type Kept = { text: string; leftOut: { name: string; value: string }[] };

const SHOWN_MAX = 40;
/** Each entry is tried by itself; a larger map is refused as a whole. */
const ENTRIES_MAX = 50_000;

/**
 * The entries of a JSON map or list that pass `isValid` by themselves, where all together do not; null = none does, or it is
 * neither. One bad entry of another system must not cost the others.
 */
export function keepEntries(text: string, isValid: (text: string) => boolean): Kept | null {
  if (isValid(text)) return { text, leftOut: [] };
  const value = parse(text);
  if (typeof value !== "object" || value === null) return null;
  const isList = Array.isArray(value);
  const entries = Object.entries(value);
  if (entries.length > ENTRIES_MAX) return null;
  const good = entries.filter(([name, item]) => isValid(JSON.stringify(isList ? [item] : entryOf(name, item))));
  if (good.length === 0) return null;
  const kept = JSON.stringify(isList ? good.map(([, item]) => item) : Object.fromEntries(good));
  if (!isValid(kept)) return null;
  const names = new Set(good.map(([name]) => name));
  const leftOut = entries
    .filter(([name]) => !names.has(name))
    .map(([name, item]) => ({ name: isList ? `#${Number(name) + 1}` : name, value: shorten(JSON.stringify(item)) }));
  return { text: kept, leftOut };
}

/** Also for a name such as __proto__. */
function entryOf(name: string, item: unknown): Record<string, unknown> {
  return Object.fromEntries([[name, item]]);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function shorten(text: string): string {
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
}
