import { type Json, readObject } from "../../canonical/json";

/** Lists of schemas, and objects of schemas. */
const LISTS = ["anyOf", "oneOf", "allOf", "prefixItems"];
const MAPS = ["properties", "$defs", "definitions"];

/** A JSON schema with each schema directly in it changed. */
export function mapInner(schema: Json, change: (inner: Json) => Json): Json {
  const written: Json = { ...schema };
  for (const key of LISTS) {
    const list = written[key];
    if (Array.isArray(list)) written[key] = list.map((inner) => change(readObject(inner)));
  }
  for (const key of MAPS) {
    if (typeof written[key] !== "object" || written[key] === null) continue;
    const entries = Object.entries(readObject(written[key]));
    written[key] = Object.fromEntries(entries.map(([name, inner]) => [name, change(readObject(inner))]));
  }
  const { items } = written;
  if (typeof items === "object" && items !== null && !Array.isArray(items)) written.items = change(readObject(items));
  return written;
}
