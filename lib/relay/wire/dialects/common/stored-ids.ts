import { type Json, readList } from "../../canonical/json";
import type { ObjectKind, ObjectReference } from "../../canonical/upstream-object";
import { InvalidRequest } from "../../canonical/wire-error";
import type { KnownNames } from "./known-names";
import { isGiven } from "./option-rule";

/** A request with more would not be looked up quickly. */
const REFERENCES_MAX = 1_000;
/** Names of what an upstream keeps, in the requests of every provider. */
const KINDS: ReadonlyMap<string, ObjectKind> = new Map<string, ObjectKind>([
  ["file_id", "file"],
  ["file_ids", "file"],
  ["container_id", "item"],
  ["comparison_response_id", "response"],
  ["user_profile_id", "item"],
  ["workspace_id", "item"],
]);

/** Schemas of the caller's own, also in fields that nobody here knows, describe each field under its name. */
const SCHEMA_FIELDS = "properties";

/** The last letters of these names: d and s. */
const ENDINGS = [0x64, 0x73] as const;

/**
 * The files and containers that a request names, wherever it does, also in fields that nobody here knows: everywhere but
 * in what is the caller's own. Throws InvalidRequest.
 */
export function storedIds(json: Json, names: KnownNames): ObjectReference[] {
  const found: ObjectReference[] = [];
  const visit = (value: object, within: string): void => {
    if (Array.isArray(value)) {
      for (const item of value) if (typeof item === "object" && item !== null) visit(item, "");
      return;
    }
    for (const name in value) {
      const inner = (value as Json)[name];
      const last = name.charCodeAt(name.length - 1);
      const kind = last === ENDINGS[0] || last === ENDINGS[1] ? KINDS.get(name) : undefined;
      if (kind !== undefined && !isCallersName(within, inner, names)) addIds(found, kind, inner, name);
      else if (typeof inner === "object" && inner !== null && names.known.get(name)?.under !== "callers") {
        visit(inner, name);
      }
    }
  };
  visit(json, "");
  return found;
}

/** Whether the names under `within` are the caller's own, where such a value is. */
function isCallersName(within: string, value: unknown, { known }: KnownNames): boolean {
  if (within === SCHEMA_FIELDS) return typeof value === "object" && !Array.isArray(value);
  return known.get(within)?.under === "named";
}

function addIds(found: ObjectReference[], kind: ObjectKind, value: unknown, param: string): void {
  for (const id of readList(value)) if (isGiven(id)) addReference(found, { kind, id, param, isOwn: false });
}

/** Throws InvalidRequest for an id that is none, and where there are too many. */
export function addReference(
  found: ObjectReference[],
  { id, ...reference }: Omit<ObjectReference, "id"> & { id: unknown },
): void {
  const { param } = reference;
  if (typeof id !== "string") throw new InvalidRequest(`${param} must name what is stored by its id`, param);
  found.push({ ...reference, id });
  if (found.length <= REFERENCES_MAX) return;
  throw new InvalidRequest(`the request names more than ${REFERENCES_MAX} stored objects`, param);
}
