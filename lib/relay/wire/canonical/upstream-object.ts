export type ObjectKind = "response" | "item" | "conversation" | "file" | "batch";

/** What an upstream keeps for a user: an answer, an item of one. */
export type ObjectName = { kind: ObjectKind; id: string };

/**
 * An object that a request builds on. `param`: the field that names it. `isOwn`: the gateway gave the id, to an answer
 * that it translated, so no upstream keeps it.
 */
export type ObjectReference = ObjectName & { param: string; isOwn: boolean };

/** Ids of objects are longer than this nowhere. */
const ID_LENGTH_MAX = 512;

/** Whether an upstream could have given this id: visible ASCII, of a sensible length. */
export function isObjectId(id: string): boolean {
  return id.length <= ID_LENGTH_MAX && /^[!-~]+$/.test(id);
}
