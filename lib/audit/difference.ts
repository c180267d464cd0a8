import { diffLines } from "diff";

/** The difference as shown to a reader: by key where both sides are JSON objects, else line by line. */
export type Difference =
  | { kind: "keys"; changes: KeyChange[]; more: number }
  | { kind: "lines"; lines: LineChange[]; more: number };

/** The text of the value before and after; null = the key was absent. */
export type KeyChange = { key: string; before: string | null; after: string | null };
export type LineChange = { sign: "+" | "-" | " "; text: string };

/** Rows beyond this number are only counted. */
const ROWS_MAX = 200;
const TEXT_MAX = 500;
const CONTEXT_LINES = 2;
const DEPTH_MAX = 4;
/** Above this many differing lines the whole text is shown as replaced. */
const EDITS_MAX = 4_000;

/** Compares two JSON values; null and undefined are treated as an empty object. */
export function diffValues(before: unknown, after: unknown): Difference {
  const left = flatten(before);
  const right = flatten(after);
  const keys = [...new Set([...left.keys(), ...right.keys()])];
  const changes = keys
    .filter((key) => left.get(key) !== right.get(key))
    .map((key) => ({ key, before: shorten(left.get(key)), after: shorten(right.get(key)) }));
  return { kind: "keys", changes: changes.slice(0, ROWS_MAX), more: Math.max(0, changes.length - ROWS_MAX) };
}

/** Compares two texts: by key where both are JSON objects, else by line with a little context. */
export function diffTexts(before: string, after: string): Difference {
  const left = parseObject(before);
  const right = parseObject(after);
  if (left && right) return diffValues(left, right);
  const changes = diffLines(indent(before), indent(after), { maxEditLength: EDITS_MAX });
  const parts = changes ?? [
    { value: before, removed: true, added: false },
    { value: after, removed: false, added: true },
  ];
  const lines = parts.flatMap((part, index) => {
    const texts = part.value.replace(/\n$/, "").split("\n");
    const sign = part.added ? "+" : part.removed ? "-" : " ";
    const rows = texts.map((text): LineChange => ({ sign, text: shorten(text) ?? "" }));
    return sign === " " ? nearChanges(rows, index > 0, index < parts.length - 1) : rows;
  });
  return { kind: "lines", lines: lines.slice(0, ROWS_MAX), more: Math.max(0, lines.length - ROWS_MAX) };
}

/** Keeps only the unchanged lines next to a change. */
function nearChanges(rows: LineChange[], afterChange: boolean, beforeChange: boolean): LineChange[] {
  const head = afterChange ? rows.slice(0, CONTEXT_LINES) : [];
  const tail = beforeChange ? rows.slice(Math.max(head.length, rows.length - CONTEXT_LINES)) : [];
  const left = rows.length - head.length - tail.length;
  return left > 0 && head.length + tail.length > 0 ? [...head, { sign: " ", text: "…" }, ...tail] : [...head, ...tail];
}

/** Turns nested objects into dotted keys; lists and deeper levels stay JSON text. */
function flatten(value: unknown, prefix = "", into = new Map<string, string>(), depth = 0): Map<string, string> {
  if (value === null || value === undefined) return into;
  if (typeof value !== "object" || Array.isArray(value)) return into.set(prefix || "value", toText(value));
  for (const [key, inner] of Object.entries(value)) {
    const path = prefix === "" ? key : `${prefix}.${key}`;
    const isObject = typeof inner === "object" && inner !== null && !Array.isArray(inner);
    if (isObject && depth < DEPTH_MAX) flatten(inner, path, into, depth + 1);
    else into.set(path, toText(inner));
  }
  return into;
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function shorten(text: string | undefined): string | null {
  if (text === undefined) return null;
  return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text;
}

/** The object in a JSON text; null for anything else. */
export function parseObject(text: string): Record<string, unknown> | null {
  const value = parseJson(text);
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

function indent(text: string): string {
  const value = parseJson(text);
  return typeof value === "object" && value !== null ? JSON.stringify(value, null, 2) : text;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
