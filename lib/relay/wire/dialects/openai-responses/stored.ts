import { type Json, readArray, readObject, readText } from "../../canonical/json";
import { isObjectId, type ObjectKind, type ObjectName, type ObjectReference } from "../../canonical/upstream-object";
import { isGiven } from "../common/option-rule";
import { addReference, storedIds } from "../common/stored-ids";
import { isReference, itemsOf } from "./items";
import { names } from "./names";
import { isOwnId } from "./output-items";
import { allTools } from "./tools";

/** Of an answer with more items, the first ones can be named later. */
const ITEMS_MAX = 128;

/** The stored objects that a request builds on. Throws InvalidRequest. */
export function references(json: Json): readonly ObjectReference[] {
  const named = storedIds(json, names);
  const add = (kind: ObjectKind, id: unknown, param: string): void =>
    addReference(named, { kind, id, param, isOwn: typeof id === "string" && isOwnId(id) });
  const { previous_response_id: previous, conversation } = json;
  if (isGiven(previous)) add("response", previous, "previous_response_id");
  if (isGiven(conversation)) {
    add("conversation", typeof conversation === "string" ? conversation : readObject(conversation).id, "conversation");
  }
  for (const item of itemsOf(json)) if (isReference(item) || isKeptItem(item)) add("item", item.id, "input");
  for (const { container } of allTools(json)) if (typeof container === "string") add("item", container, "tools");
  return named;
}

/** An item of which the upstream has more than the request: a picture or a thought that is not sent along. */
function isKeptItem(item: Json): boolean {
  const { type, id, result, encrypted_content: sealed, content } = item;
  if (!isGiven(id) || (typeof id === "string" && isOwnId(id))) return false;
  return (
    (type === "image_generation_call" && !isGiven(result)) ||
    (type === "reasoning" && !isGiven(sealed) && !isGiven(content))
  );
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
  const ids = items.flatMap((item) => {
    const { id: itemId, container_id: container } = readObject(item);
    return [itemId, container].map(readText).filter(isObjectId);
  });
  return [{ kind: "response", id }, ...[...new Set(ids)].map((item) => ({ kind: "item" as const, id: item }))];
}
