import { type Json, readArray, readObject, readText } from "../../canonical/json";
import { isObjectId, type ObjectKind, type ObjectName, type ObjectReference } from "../../canonical/upstream-object";
import { InvalidRequest } from "../../canonical/wire-error";
import { isGiven } from "../option-rule";
import { isReference, itemParts, itemsOf } from "./items";
import { isOwnId } from "./output-items";

/** Of an answer with more items, the first ones can be named later. */
const ITEMS_MAX = 128;
/** A request with more would not be looked up quickly. */
const REFERENCES_MAX = 1_000;

/** The stored objects that a request builds on. Throws InvalidRequest. */
export function references(json: Json): readonly ObjectReference[] {
  const named: ObjectReference[] = [];
  const { previous_response_id: previous, conversation } = json;
  if (isGiven(previous)) named.push(reference("response", previous, "previous_response_id"));
  if (isGiven(conversation)) {
    const id = typeof conversation === "string" ? conversation : readObject(conversation).id;
    named.push(reference("conversation", id, "conversation"));
  }
  for (const item of itemsOf(json)) if (isReference(item)) named.push(reference("item", item.id, "input"));
  for (const part of itemsOf(json).flatMap(itemParts)) {
    if (isGiven(part.file_id)) named.push(reference("file", part.file_id, "input"));
  }
  if (named.length > REFERENCES_MAX) {
    throw new InvalidRequest(`input refers to more than ${REFERENCES_MAX} stored items`, "input");
  }
  return named;
}

function reference(kind: ObjectKind, id: unknown, param: string): ObjectReference {
  if (typeof id !== "string") throw new InvalidRequest(`${param} must name what is stored by its id`, param);
  return { kind, id, param, isOwn: isOwnId(id) };
}

/** OpenAI stores answers unless it is told not to. */
export function asksToStore(json: Json): boolean {
  return json.store !== false;
}

/** What the upstream keeps of an answer of its own; nothing where it says so. */
export function keptObjects(response: Json): readonly ObjectName[] {
  const id = readText(response.id);
  if (response.store === false || !isObjectId(id)) return [];
  const items = readArray(response.output).slice(0, ITEMS_MAX);
  const ids = items.map((item) => readText(readObject(item).id)).filter(isObjectId);
  return [{ kind: "response", id }, ...ids.map((item) => ({ kind: "item" as const, id: item }))];
}
