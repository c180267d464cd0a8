import type { Json } from "../../canonical/json";
import { InvalidRequest } from "../../canonical/wire-error";

/**
 * What stands under a name that Weir reads: "fields" has more such names, "callers" only the caller's own, and "named"
 * names of the caller's with fields under each.
 */
type Under = "fields" | "callers" | "named";

/** "object": one, and no list. "objects": one or a list of them. "parts": the same, or a text. "switch": one, or on and off. */
type Shape = "any" | "object" | "objects" | "parts" | "switch";

type Known = {
  under: Under;
  shape: Shape;
  /** The usual spelling; "" = this is it. */
  usual: string;
};

/** The names that requests of a format have, with what may stand under each. */
export type KnownNames = {
  readonly known: ReadonlyMap<string, Known>;
  /** The known names, by what readers that ignore case take them for. */
  readonly byFold: ReadonlyMap<string, string>;
  readonly fold: (name: string) => string;
  /** Names that fit cannot be folded to a known one. */
  readonly plain: RegExp;
};

type Given = {
  /** Names with anything under them but objects of the caller's own. */
  fields?: readonly string[];
  object?: readonly string[];
  objects?: readonly string[];
  parts?: readonly string[];
  switch?: readonly string[];
  callers?: readonly string[];
  named?: readonly string[];
};

/** Under these names, tools have their schemas, and their calls what they are called with, in every API. */
export const TOOL_VALUES = ["arguments", "parameters", "input_schema", "input_examples", "schema"] as const;

/** Names as JSON readers compare that ignore case: Unicode's folding also takes ſ for s and the sign of kelvins for k. */
export function foldName(name: string): string {
  return name.toUpperCase().toLowerCase().replaceAll("\u0307", "");
}

const LOWER_CASE = /^[a-z0-9_]*$/;
const NEVER = /^$/;

export function knownNames(given: Given): KnownNames {
  const known = new Map<string, Known>();
  for (const [kind, names] of Object.entries(given)) for (const name of names) known.set(name, knownAs(kind));
  const areLowerCase = [...known.keys()].every((name) => LOWER_CASE.test(name));
  return { known, byFold: folded(known, foldName), fold: foldName, plain: areLowerCase ? LOWER_CASE : NEVER };
}

/** The same for a format whose readers may take other spellings with underscores, too. */
export function strictNames(given: Given): KnownNames {
  const { known } = knownNames(given);
  const fold = (name: string): string => foldName(name).replaceAll("_", "");
  return { known, byFold: folded(known, fold), fold, plain: NEVER };
}

/** The same for Google's format, where each name may also be written with underscores. */
export function namesInTwoSpellings(given: Given): KnownNames {
  const { known, ...names } = strictNames(given);
  const both = [...known].flatMap(([name, { under, shape }]): [string, Known][] => {
    const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const usual: [string, Known] = [name, { under, shape, usual: "" }];
    return snake === name ? [usual] : [usual, [snake, { under, shape, usual: name }]];
  });
  return { ...names, known: new Map(both) };
}

function knownAs(kind: string): Known {
  const under = kind === "callers" || kind === "named" ? kind : "fields";
  const isShape = kind === "object" || kind === "objects" || kind === "parts" || kind === "switch";
  const shape = isShape ? kind : "any";
  return { under, shape, usual: "" };
}

function folded(known: ReadonlyMap<string, Known>, fold: (name: string) => string): ReadonlyMap<string, string> {
  return new Map([...known.keys()].map((name) => [fold(name), name]));
}

/**
 * Refuses names that are known ones but for their case, because many readers take both for the same, and values in a
 * shape that readers disagree about. Returns how many values are inside, as measureJson counts them. Throws
 * InvalidRequest. Nothing under unknown names is looked at.
 */
export function checkNames(json: Json, names: KnownNames): number {
  return checkValue(json, "fields", names);
}

function checkValue(value: object, under: Under, names: KnownNames): number {
  let inside = 0;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === "object" && item !== null) inside += checkValue(item, under, names);
    return inside + (value.length || 1);
  }
  let count = 0;
  for (const name in value) {
    count += 1;
    const inner = (value as Json)[name];
    const next = under === "fields" ? underName(name, inner, value, names) : under === "named" ? "fields" : "callers";
    if (typeof inner === "object" && inner !== null) inside += checkValue(inner, next, names);
  }
  return inside + (count || 1);
}

function underName(name: string, value: unknown, object: object, names: KnownNames): Under {
  const known = names.known.get(name);
  if (known === undefined) {
    refuseOtherCase(name, names);
    return "callers";
  }
  if (known.shape !== "any") checkShape(name, value, known.shape);
  if (known.usual === "" || value === null || !isThere((object as Json)[known.usual])) return known.under;
  throw new InvalidRequest(`${name} is given twice, in two spellings`, name);
}

/** Throws InvalidRequest for a name that is a known one to readers that ignore case, and only to them. */
export function refuseOtherCase(name: string, { known, byFold, fold, plain }: KnownNames): void {
  if (known.has(name) || plain.test(name)) return;
  const meant = byFold.get(fold(name));
  if (meant === undefined) return;
  throw new InvalidRequest(`${name.slice(0, 100)} is no field of this API: write ${meant}`, meant);
}

const ASKED: Readonly<Record<Shape, string>> = {
  any: "",
  object: "an object",
  objects: "a list of objects",
  parts: "a text or a list of objects",
  switch: "an object, true or false",
};

function isThere(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function checkShape(name: string, value: unknown, shape: Shape): void {
  if (!isThere(value)) return;
  if (typeof value === "string" && shape === "parts") return;
  if (typeof value === "boolean" && shape === "switch") return;
  if (isObject(value)) return;
  if ((shape === "objects" || shape === "parts") && Array.isArray(value) && value.every(isObject)) return;
  throw new InvalidRequest(`${name} must be ${ASKED[shape]}`, name);
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
