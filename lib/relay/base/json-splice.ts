import type { Edits } from "../wire/dialects/dialect";
import { stringEnd } from "./json-bounds";

const QUOTE = 0x22;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COLON = 0x3a;
const COMMA = 0x2c;
const SPACE = 0x20;
const BACKSLASH = 0x5c;

/** Byte range of a key's value. */
export type Span = { start: number; end: number };

/** The index after the string that starts at `at`. The bytes must be valid JSON. */
function skipString(bytes: Buffer, at: number): number {
  return Math.min(bytes.length, stringEnd(bytes, at + 1) + 1);
}

/** The index after the value that starts at `at` (object, array, string, number or literal). */
export function skipValue(bytes: Buffer, at: number): number {
  const first = bytes[at];
  if (first === QUOTE) return skipString(bytes, at);
  if (first !== OPEN_BRACE && first !== OPEN_BRACKET) {
    let end = at;
    for (let byte = bytes[end]; byte !== undefined && !endsWord(byte); byte = bytes[end]) end += 1;
    return end;
  }
  const end = endOfNested(bytes, at);
  return end === -1 ? bytes.length : end;
}

/** The index after the object or array that starts at `at`; -1 = it does not end. */
export function endOfNested(bytes: Buffer, at: number): number {
  const { length } = bytes;
  let depth = 0;
  for (let i = at; i < length; i++) {
    const byte = bytes[i];
    if (byte === QUOTE) i = stringEnd(bytes, i + 1);
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth -= 1;
      if (depth === 0) return i + 1;
    }
  }
  return -1;
}

function endsWord(byte: number): boolean {
  return byte <= SPACE || byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET;
}

/** The index of the first byte from `at` on that is not white space; the length when there is none. */
export function skipSpace(bytes: Buffer, at: number): number {
  let i = at;
  while ((bytes[i] ?? QUOTE) <= SPACE) i += 1;
  return i;
}

/**
 * The byte ranges of a top-level object's values. Null when a key is duplicated or contains escapes: parsers disagree
 * about such bytes, so they must not be passed on unchanged.
 */
export function scanTopLevel(bytes: Buffer): Map<string, Span> | null {
  const spans = new Map<string, Span>();
  let at = skipSpace(bytes, skipSpace(bytes, 0) + 1);
  while (bytes[at] === QUOTE) {
    const keyEnd = skipString(bytes, at);
    const key = bytes.toString("utf8", at + 1, keyEnd - 1);
    const start = skipSpace(bytes, skipSpace(bytes, keyEnd) + 1);
    const end = skipValue(bytes, start);
    if (spans.has(key) || key.includes("\\")) return null;
    spans.set(key, { start, end });
    at = skipSpace(bytes, end);
    if (bytes[at] === COMMA) at = skipSpace(bytes, at + 1);
  }
  return spans;
}

/**
 * Sets top-level keys of a JSON object without changing its other bytes. `undefined` removes a key, which rewrites the
 * whole object. `spans` is the result of `scanTopLevel`, `json` the parsed object.
 */
export function applyEdits(
  bytes: Buffer,
  json: Readonly<Record<string, unknown>>,
  spans: Map<string, Span>,
  edits: Edits,
): Buffer {
  const names = Object.keys(edits);
  if (names.length === 0) return bytes;
  if (names.some((name) => edits[name] === undefined && spans.has(name))) {
    return Buffer.from(JSON.stringify({ ...json, ...edits }));
  }
  const present = names
    .flatMap((name) => {
      const span = spans.get(name);
      return span ? [{ name, ...span }] : [];
    })
    .sort((a, b) => a.start - b.start);
  const open = bytes.indexOf(OPEN_BRACE) + 1;
  const added = names.filter((name) => !spans.has(name) && edits[name] !== undefined);
  const parts: Buffer[] = [bytes.subarray(0, open)];
  if (added.length > 0) {
    const text = added.map((name) => `${JSON.stringify(name)}:${JSON.stringify(edits[name])}`).join(",");
    parts.push(Buffer.from(spans.size > 0 ? `${text},` : text));
  }
  let at = open;
  for (const { name, start, end } of present) {
    parts.push(bytes.subarray(at, start), Buffer.from(JSON.stringify(edits[name])));
    at = end;
  }
  parts.push(bytes.subarray(at));
  return Buffer.concat(parts);
}

/** The text under a top-level key, as far as the beginning of an object tells; undefined when it does not. */
export function findTopLevelText(start: Buffer, wanted: string): string | undefined {
  let at = skipSpace(start, 0);
  if (start[at] !== OPEN_BRACE) return undefined;
  at = skipSpace(start, at + 1);
  while (start[at] === QUOTE) {
    const keyEnd = skipString(start, at);
    const valueAt = skipSpace(start, skipSpace(start, keyEnd) + 1);
    const valueEnd = skipValue(start, valueAt);
    if (valueEnd >= start.length) return undefined;
    if (start.toString("utf8", at + 1, keyEnd - 1) === wanted) return textAt(start, valueAt);
    at = skipSpace(start, valueEnd);
    if (start[at] === COMMA) at = skipSpace(start, at + 1);
  }
  return undefined;
}

function textAt(bytes: Buffer, at: number): string | undefined {
  return bytes[at] === QUOTE ? readText(bytes, at) : undefined;
}

/** Objects nested in each other make every try read all that follows. */
const TRIES_MAX = 8;

/**
 * Parses the last object under this key at the top level of a JSON object; undefined when there is none. It is searched
 * from the end, where it usually is. `quotedKey` must be ASCII.
 */
export function findTopLevelObject(bytes: Buffer, quotedKey: string): Record<string, unknown> | undefined {
  let end = bytes.length;
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const start = findLastValue(bytes, quotedKey, OPEN_BRACE, end);
    if (start === -1) return undefined;
    if (endsObject(bytes, skipValue(bytes, start))) {
      return parseValue(bytes, start) as Record<string, unknown> | undefined;
    }
    end = bytes.lastIndexOf(quotedKey, start) - 1;
    if (end < 0) return undefined;
  }
  return undefined;
}

/** Whether only further keys and one closing brace follow: then what stands before is at the top level. */
function endsObject(bytes: Buffer, from: number): boolean {
  let at = skipSpace(bytes, from);
  while (bytes[at] === COMMA) {
    at = skipSpace(bytes, at + 1);
    if (bytes[at] !== QUOTE) return false;
    at = skipSpace(bytes, skipString(bytes, at));
    if (bytes[at] !== COLON) return false;
    at = skipSpace(bytes, skipValue(bytes, skipSpace(bytes, at + 1)));
  }
  if (bytes[at] !== CLOSE_BRACE) return false;
  at += 1;
  while (at < bytes.length && (bytes[at] ?? 0) <= SPACE) at += 1;
  return at === bytes.length;
}

/** The last string under this key anywhere in the bytes. `quotedKey` must be ASCII. */
export function findLastText(bytes: Buffer, quotedKey: string): string | undefined {
  const start = findLastValue(bytes, quotedKey, QUOTE, bytes.length);
  return start === -1 ? undefined : readText(bytes, start);
}

/** The string that starts at `start`. Most have no escapes, and need no parser. */
function readText(bytes: Buffer, start: number): string | undefined {
  for (let at = start + 1; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) return bytes.toString("utf8", start + 1, at);
    if (byte < SPACE || byte === BACKSLASH) break;
  }
  return parseValue(bytes, start) as string | undefined;
}

/** The start of the last value under this key that begins with the byte `first`; -1 = none before `end`. */
function findLastValue(bytes: Buffer, quotedKey: string, first: number, end: number): number {
  let at = bytes.lastIndexOf(quotedKey, end);
  for (; at !== -1; at = at === 0 ? -1 : bytes.lastIndexOf(quotedKey, at - 1)) {
    const colon = skipSpace(bytes, at + quotedKey.length);
    if (bytes[colon] !== COLON) continue;
    const start = skipSpace(bytes, colon + 1);
    if (bytes[start] === first) return start;
  }
  return -1;
}

function parseValue(bytes: Buffer, start: number): unknown {
  try {
    return JSON.parse(bytes.toString("utf8", start, skipValue(bytes, start)));
  } catch {
    return undefined;
  }
}
