import { AppError, type Clash } from "./errors";

/** What a form showed, by the name of each field that it sends. */
export type Seen = Readonly<Record<string, unknown>>;

/** Whether two values of a field are the same; an invalid number is the same as itself only. */
export function isSameValue(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (Number.isNaN(one) || Number.isNaN(other)) return false;
  return JSON.stringify(one) === JSON.stringify(other);
}

/**
 * Throws "changedByOther" with both values unless the fields that are about to change are as the client saw them. Call it in the
 * transaction that holds the row's lock. A value that is stored already is no clash: the same form may be sent twice. A client
 * that does not say what it saw is not checked. Amounts are changed by their difference and do not belong here.
 */
export function refuseChanged(stored: object, wanted: object, seen: Seen | undefined): void {
  const clashes = findClashes(stored, wanted, seen ?? {});
  if (clashes.length > 0) throw changedByOther(clashes);
}

function findClashes(stored: object, wanted: object, seen: Seen): Clash[] {
  const [now, then] = [new Map(Object.entries(stored)), new Map(Object.entries(wanted))];
  return Object.entries(seen).flatMap(([field, was]) => {
    if (!then.has(field) || then.get(field) === undefined) return [];
    const value = now.get(field);
    return isSameValue(value, was) || isSameValue(value, then.get(field)) ? [] : [{ field, seen: was, stored: value }];
  });
}

function changedByOther(clashes: readonly Clash[]): AppError {
  const [first] = clashes;
  const error = new AppError("conflict", "changedByOther", clashes.length === 1 && first ? { field: first.field } : {});
  error.clashes = clashes;
  return error;
}

/** The amount that a client saw, from which its change is the difference; undefined if it does not say. Throws invalid. */
export function seenAmount(seen: Seen | undefined, field: string): number | undefined {
  const amount = seen?.[field];
  if (amount === undefined || Number.isSafeInteger(amount)) return amount as number | undefined;
  throw new AppError("invalid", "fieldInvalid", { field });
}

type Entries = Readonly<Record<string, unknown>>;

/** A text with a JSON object; null for any other text. An empty text is an object without entries. */
function readEntries(text: string): Entries | null {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Entries) : null;
  } catch {
    return null;
  }
}

const entryOf = (entries: Entries, name: string) => (Object.hasOwn(entries, name) ? entries[name] : undefined);

/**
 * Brings together two changes of one text that began at `seen`: what is stored now and what is wanted. Entries of a JSON object
 * are changed each by itself; where both changed the same one to different values, `prefer` says whose is kept. Null: both changed
 * the same and `prefer` is not given. Any other text is one value.
 */
export function mergeTexts(
  seen: string,
  stored: string,
  wanted: string,
  prefer?: "stored" | "wanted",
): { text: string } | null {
  if (stored === seen || stored === wanted) return { text: wanted };
  const [was, now, then] = [readEntries(seen), readEntries(stored), readEntries(wanted)];
  if (!was || !now || !then) return prefer ? { text: prefer === "stored" ? stored : wanted } : null;
  const merged = new Map(Object.entries(now));
  for (const name of new Set([...Object.keys(was), ...Object.keys(then)])) {
    const [before, current, next] = [entryOf(was, name), entryOf(now, name), entryOf(then, name)];
    if (isSameValue(before, next) || isSameValue(current, next)) continue;
    if (!isSameValue(before, current)) {
      if (!prefer) return null;
      if (prefer === "stored") continue;
    }
    if (next === undefined) merged.delete(name);
    else merged.set(name, next);
  }
  if (merged.size === 0) return { text: wanted.trim() === "" ? "" : "{}" };
  return { text: JSON.stringify(Object.fromEntries(merged), null, stored.includes("\n") ? 2 : 0) };
}

/** Of two JSON objects, the entries that both changes changed differently; any other texts as they are. */
export function differingEntries(seen: string, stored: string, wanted: string): [stored: string, wanted: string] {
  const [was, now, then] = [readEntries(seen), readEntries(stored), readEntries(wanted)];
  if (!was || !now || !then) return [stored, wanted];
  const names = [...new Set([...Object.keys(now), ...Object.keys(then), ...Object.keys(was)])].filter((name) => {
    const [before, current, next] = [entryOf(was, name), entryOf(now, name), entryOf(then, name)];
    return !isSameValue(before, current) && !isSameValue(before, next) && !isSameValue(current, next);
  });
  if (names.length === 0) return [stored, wanted];
  const pick = (entries: Entries) =>
    JSON.stringify(Object.fromEntries(names.map((name) => [name, entryOf(entries, name)])), null, 2);
  return [pick(now), pick(then)];
}
