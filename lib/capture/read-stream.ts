/** Names and marks that every event repeats say nothing. */
const DULL = new Set([
  "id",
  "object",
  "type",
  "event_id",
  "item_id",
  "response_id",
  "system_fingerprint",
  "obfuscation",
]);
const PATHS_MAX = 200;
/** Names are the sender's, and every text within an object repeats them. */
const NAME_MAX = 64;
const PATH_MAX = 500;

type Part = { path: string; text: string };

/**
 * The texts of a stream of events or JSON lines, put together by where they stand, so that a secret that came in several
 * pieces is one text again. Null = it is no such stream. An event that is cut at the end is left out.
 */
export function readStream(text: string): Part[] | null {
  const parts = new Map<string, { first: string; text: string; isSame: boolean }>();
  let events = 0;
  for (const line of text.split(/\r?\n/)) {
    const data = line.startsWith("data:") ? line.slice(5).trim() : line.trim().startsWith("{") ? line.trim() : "";
    if (data === "" || data === "[DONE]") continue;
    const event = parse(data);
    if (event === undefined) continue;
    events += 1;
    collect(event, "", (path, piece) => {
      const known = parts.get(path);
      if (known) {
        known.isSame &&= piece === known.first;
        known.text += piece;
      } else if (parts.size < PATHS_MAX) parts.set(path, { first: piece, text: piece, isSame: true });
    });
  }
  if (events === 0) return null;
  return [...parts].map(([path, { first, text: whole, isSame }]) => ({
    path,
    text: isSame && events > 1 ? first : whole,
  }));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type Visit = (path: string, text: string) => void;

/** Items of a list are told apart by their own index where they name one. */
function collect(value: unknown, path: string, visit: Visit, depth = 0): void {
  if (typeof value === "string") {
    if (value !== "") visit(path, value);
    return;
  }
  if (typeof value !== "object" || value === null || depth > 32 || path.length > PATH_MAX) return;
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) collect(item, `${path}[${indexOf(item) ?? at}]`, visit, depth + 1);
    return;
  }
  const own = path === "" ? indexOf(value) : null;
  for (const [given, item] of Object.entries(value)) {
    if (DULL.has(given)) continue;
    const name = given.length > NAME_MAX ? given.slice(-NAME_MAX) : given;
    const step = own === null ? name : `#${own}.${name}`;
    collect(item, path === "" ? step : `${path}.${name}`, visit, depth + 1);
  }
}

/** What an event or an item says its place is. */
function indexOf(value: unknown): number | null {
  if (typeof value !== "object" || value === null) return null;
  const { index, output_index: output, content_index: content } = value as Record<string, unknown>;
  if (typeof index === "number") return index;
  if (typeof output !== "number") return null;
  return typeof content === "number" ? output * 1_000 + content : output;
}
