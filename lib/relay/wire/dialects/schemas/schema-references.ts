import { type Json, readObject, readText } from "../../canonical/json";
import { mapInner } from "./inner-schemas";

/** Longer chains of references are not followed, and larger schemas not written out. */
const CHAIN_MAX = 8;
const SCHEMAS_MAX = 2_000;

/** The schema that a reference at this place names, with what stands beside the reference. */
export function followReference(schema: Json, root: Json): Json {
  let found = schema;
  for (let depth = 0; depth < CHAIN_MAX && typeof found.$ref === "string"; depth += 1) {
    const { $ref, ...beside } = found;
    const target = targetOf(readText($ref), root);
    if (!target) return found;
    found = { ...target, ...beside };
  }
  return found;
}

function targetOf(reference: string, root: Json): Json | null {
  if (!reference.startsWith("#/")) return null;
  const names = reference.slice(2).split("/");
  const found = names.reduce<unknown>((at, name) => readObject(at)[name.replace(/~1/g, "/").replace(/~0/g, "~")], root);
  return typeof found === "object" && found !== null && !Array.isArray(found) ? (found as Json) : null;
}

/** The schema with definitions in place of references to them; a recursive one ends as any object. */
export function inlineReferences(root: Json): Json {
  let left = SCHEMAS_MAX;
  const write = (schema: Json, inside: readonly string[]): Json => {
    left -= 1;
    const { $ref, ...beside } = schema;
    if (typeof $ref !== "string") return left < 0 ? {} : mapInner(schema, (inner) => write(inner, inside));
    const isWithin = inside.includes($ref) || inside.length > CHAIN_MAX;
    const target = isWithin ? null : targetOf($ref, root);
    if (!target || left < 0) return { type: "object", ...beside };
    return write({ ...target, ...beside }, [...inside, $ref]);
  };
  const { $defs: _, definitions: __, ...rest } = root;
  return write(rest, []);
}
