import type { Json } from "../../canonical/json";
import type { ObjectReference } from "../../canonical/upstream-object";
import { storedIds } from "../common/stored-ids";
import { names } from "./names";

/** The uploaded files that the request names. Throws InvalidRequest. */
export function references(json: Json): readonly ObjectReference[] {
  return storedIds(json, names);
}
