import { LRUCache } from "lru-cache";
import { RE2JS } from "re2js";

type Json = Record<string, unknown>;

type Condition = { path: string; mode: string; value: unknown; invert: boolean; passMissing: boolean };

type Operation = {
  mode: string;
  path: string;
  from: string;
  to: string;
  value: unknown;
  keepOrigin: boolean;
  conditions: Condition[];
  isAnd: boolean;
};

const asObject = (value: unknown): Json =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
const asText = (value: unknown): string => (typeof value === "string" ? value : "");

/**
 * Applies an operator's parameter override; returns edits of top-level keys. Without a list of `operations`, each key
 * replaces the body's own (contract §4.7). Otherwise the operations run in order on a copy. Pure; operations that do
 * not fit the body are ignored.
 */
export function overrideParameters(json: Readonly<Json>, edits: Json, override: Readonly<Json>): Json {
  if (!Array.isArray(override.operations)) return override;
  const before: Json = { ...json, ...edits };
  const body = structuredClone(before);
  for (const item of override.operations) run(body, readOperation(asObject(item)));
  const names = new Set([...Object.keys(before), ...Object.keys(body)]);
  const changed = [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(body[name]));
  return Object.fromEntries(changed.map((name) => [name, body[name]]));
}

/** The first pattern of an override that cannot be used; null = all can. */
export function findBadPattern({ operations }: Readonly<Json>): string | null {
  const all = (Array.isArray(operations) ? operations : []).map((item) => readOperation(asObject(item)));
  return all.find(({ mode, from }) => mode === "regex_replace" && !isLinearPattern(from))?.from ?? null;
}

function readOperation(item: Json): Operation {
  return {
    mode: asText(item.mode),
    path: asText(item.path),
    from: asText(item.from),
    to: asText(item.to),
    value: item.value,
    keepOrigin: item.keep_origin === true,
    conditions: (Array.isArray(item.conditions) ? item.conditions : []).map(asObject).map((condition) => ({
      path: asText(condition.path),
      mode: asText(condition.mode) || "full",
      value: condition.value,
      invert: condition.invert === true,
      passMissing: condition.pass_missing_key === true,
    })),
    isAnd: asText(item.logic).toUpperCase() === "AND",
  };
}

function run(body: Json, operation: Operation): void {
  const { conditions, isAnd } = operation;
  const holds = (condition: Condition): boolean => isTrue(body, condition);
  if (conditions.length > 0 && !(isAnd ? conditions.every(holds) : conditions.some(holds))) return;
  const { mode, path, from, to, value } = operation;
  if (mode === "set") {
    if (!operation.keepOrigin || readPath(body, path) === undefined) writePath(body, path, structuredClone(value));
  } else if (mode === "delete") writePath(body, path, undefined);
  else if (mode === "move" || mode === "copy") {
    const moved = readPath(body, from);
    if (moved === undefined) return;
    writePath(body, to, structuredClone(moved));
    if (mode === "move") writePath(body, from, undefined);
  } else changeValue(body, operation);
}

function changeValue(body: Json, operation: Operation): void {
  const present = readPath(body, operation.path);
  const { mode, value } = operation;
  if (Array.isArray(present) && (mode === "append" || mode === "prepend")) {
    const added = Array.isArray(value) ? value : [value];
    writePath(body, operation.path, mode === "append" ? [...present, ...added] : [...added, ...present]);
  } else if (typeof present === "string") {
    writePath(body, operation.path, changeText(present, operation));
  } else if ((mode === "append" || mode === "prepend") && present !== undefined) {
    const object = asObject(present);
    // With keep_origin, existing fields win over the operation's.
    const [low, high] = operation.keepOrigin ? [asObject(value), object] : [object, asObject(value)];
    if (Object.keys(object).length > 0) writePath(body, operation.path, { ...low, ...high });
  }
}

function changeText(text: string, { mode, value, from, to }: Operation): string {
  const word = asText(value);
  switch (mode) {
    case "prepend":
      return word + text;
    case "append":
      return text + word;
    case "trim_prefix":
      return word !== "" && text.startsWith(word) ? text.slice(word.length) : text;
    case "trim_suffix":
      return word !== "" && text.endsWith(word) ? text.slice(0, -word.length) : text;
    case "ensure_prefix":
      return text.startsWith(word) ? text : word + text;
    case "ensure_suffix":
      return text.endsWith(word) ? text : text + word;
    case "trim_space":
      return text.trim();
    case "to_lower":
      return text.toLowerCase();
    case "to_upper":
      return text.toUpperCase();
    case "replace":
      return from === "" ? text : text.replaceAll(from, () => to);
    case "regex_replace":
      return replaceMatches(text, from, to);
    default:
      return text;
  }
}

function isTrue(body: Json, { path, mode, value, invert, passMissing }: Condition): boolean {
  const present = readPath(body, path);
  if (present === undefined) return passMissing;
  return compare(present, mode, value) !== invert;
}

function compare(present: unknown, mode: string, value: unknown): boolean {
  const [text, word] = [String(present), String(value)];
  const [left, right] = [Number(present), Number(value)];
  switch (mode) {
    case "prefix":
      return text.startsWith(word);
    case "suffix":
      return text.endsWith(word);
    case "contains":
      return text.includes(word);
    case "gt":
      return left > right;
    case "gte":
      return left >= right;
    case "lt":
      return left < right;
    case "lte":
      return left <= right;
    default:
      return JSON.stringify(present) === JSON.stringify(value);
  }
}

type Holder = Json | unknown[];

/** Resolves one step of a path. Steps are names and indexes separated by dots; a negative index counts from the end. */
function resolveStep(holder: Holder, step: string): string | number | null {
  if (!Array.isArray(holder)) return step === "__proto__" ? null : step;
  if (!/^-?\d{1,6}$/.test(step)) return null;
  const index = Number(step);
  return index < 0 ? holder.length + index : index;
}

function readStep(holder: unknown, step: string): unknown {
  if (typeof holder !== "object" || holder === null) return undefined;
  const key = resolveStep(holder as Holder, step);
  return key !== null && Object.hasOwn(holder, key) ? (holder as Record<string | number, unknown>)[key] : undefined;
}

function readPath(body: Json, path: string): unknown {
  if (path === "") return undefined;
  return path.split(".").reduce<unknown>(readStep, body);
}

/** Sets the value at a path; undefined removes it. Creates missing objects on the way, but no array items. */
function writePath(body: Json, path: string, value: unknown): void {
  if (path === "") return;
  const steps = path.split(".");
  const last = steps.pop() ?? "";
  let holder: Holder = body;
  for (const step of steps) {
    let next = readStep(holder, step);
    if (next === undefined && value !== undefined && !Array.isArray(holder)) {
      next = {};
      const key = resolveStep(holder, step);
      if (key === null) return;
      holder[key] = next;
    }
    if (typeof next !== "object" || next === null) return;
    holder = next as Holder;
  }
  const key = resolveStep(holder, last);
  if (key === null) return;
  if (Array.isArray(holder)) {
    const index = Number(key);
    if (index < 0 || index >= holder.length) return;
    if (value === undefined) holder.splice(index, 1);
    else holder[index] = value;
  } else if (value === undefined) delete holder[key];
  else holder[key] = value;
}

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
function isLinearPattern(source: string): boolean {
  return compile(source) !== null;
}

/**
 * Replaces all matches in linear time, whatever the pattern: the operator wrote it, but callers write the texts. An
 * unusable pattern matches nothing.
 */
function replaceMatches(text: string, source: string, replacement: string): string {
  return source === "" ? text : (compile(source)?.matcher(text).replaceAll(replacement) ?? text);
}
