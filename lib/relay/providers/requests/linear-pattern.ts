import { LRUCache } from "lru-cache";
import { RE2JS } from "re2js";

const PATTERN_MAX = 1_000;
const known = new LRUCache<string, { pattern: RE2JS | null }>({ max: 500 });

function compile(source: string): RE2JS | null {
  const present = known.get(source);
  if (present) return present.pattern;
  let pattern: RE2JS | null = null;
  try {
    if (source.length <= PATTERN_MAX) pattern = RE2JS.compile(source);
  } catch {
    // Null stands for a pattern that cannot be used.
  }
  known.set(source, { pattern });
  return pattern;
}

/** Whether `replaceMatches` can use it: JavaScript's syntax without look-around and back-references. */
export function isLinearPattern(source: string): boolean {
  return compile(source) !== null;
}

/**
 * Replaces all matches in linear time, whatever the pattern: the operator wrote it, but callers write the texts. An
 * unusable pattern matches nothing.
 */
export function replaceMatches(text: string, source: string, replacement: string): string {
  return source === "" ? text : (compile(source)?.matcher(text).replaceAll(replacement) ?? text);
}
