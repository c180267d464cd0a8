import { type Json, readArray, readList, readObject } from "../../canonical/json";
import type { ObjectReference } from "../../canonical/upstream-object";
import { InvalidRequest } from "../../canonical/wire-error";
import { isGiven } from "../option-rule";

/** A request with more would not be looked up quickly. */
const REFERENCES_MAX = 1_000;

/** The uploaded files that the request names. Throws InvalidRequest. */
export function references(json: Json): readonly ObjectReference[] {
  let named: ObjectReference[] | null = null;
  for (const message of readArray(json.messages)) {
    for (const part of readList(readObject(message).content)) {
      const { file } = readObject(part);
      const id = file === undefined ? undefined : readObject(file).file_id;
      if (!isGiven(id)) continue;
      if (typeof id !== "string") throw new InvalidRequest("file_id must name a file by its id", "messages");
      named ??= [];
      named.push({ kind: "file", id, param: "messages", isOwn: false });
      if (named.length > REFERENCES_MAX)
        throw new InvalidRequest(`messages name more than ${REFERENCES_MAX} files`, "messages");
    }
  }
  return named ?? NONE;
}

const NONE: readonly ObjectReference[] = [];
