import { AppError } from "@/lib/errors";

/** Far more than any form, list of keys or conversation has; walking it takes a few milliseconds. */
const VALUES_MAX = 50_000;
const DEPTH_MAX = 128;
const CHARACTERS_MAX = 8 * 1_024 * 1_024;
/** Types that JSON does not have. */
const FOREIGN = new Set(["function", "symbol", "bigint"]);

/**
 * Throws invalid unless the value is plain data (objects, arrays, texts, numbers, flags) of bounded size and depth
 * without NUL, which PostgreSQL cannot store. Call it before anything that recurses: what a server action receives may
 * contain itself, or the same object many times. Each occurrence counts, so both exceed the bounds.
 */
export function assertPlainData(value: unknown): void {
  // An explicit stack instead of recursion, because the value may be nested deeper than the call stack allows.
  const open: { value: unknown; depth: number }[] = [{ value, depth: 0 }];
  const left = { values: VALUES_MAX, characters: CHARACTERS_MAX };
  for (let next = open.pop(); next; next = open.pop()) {
    if (typeof next.value === "string") checkText(next.value, left);
    else if (typeof next.value === "object" && next.value !== null) {
      const depth = next.depth + 1;
      for (const inner of contentOf(next.value, left)) open.push({ value: inner, depth });
      if (depth > DEPTH_MAX) throw refused();
    } else if (FOREIGN.has(typeof next.value)) throw refused();
  }
}

type Left = { values: number; characters: number };

function contentOf(value: object, left: Left): readonly unknown[] {
  const keys = Array.isArray(value) ? null : keysOf(value);
  left.values -= 1 + (keys ?? (value as readonly unknown[])).length;
  if (left.values < 0) throw refused();
  for (const key of keys ?? []) checkText(key, left);
  return keys ? Object.values(value) : (value as readonly unknown[]);
}

/** A promise, map, form or iterator would run or hide content; JSON has none of them. */
function keysOf(value: object): string[] {
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw refused();
  return Object.keys(value);
}

function checkText(text: string, left: Left): void {
  left.characters -= text.length;
  if (left.characters < 0 || text.includes("\u0000")) throw refused();
}

function refused(): AppError {
  return new AppError("invalid", "parametersInvalid");
}
