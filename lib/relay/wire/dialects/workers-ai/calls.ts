import { type Json, readObject, readText } from "../../canonical/json";
import { argumentsText } from "../openai-chat/decode-response";

/** A call, or a piece of one: flat as this format has it, or with the function in an object as OpenAI has it. */
export type CallPiece = { index: number | null; id: string; name: string; arguments: string };

export function readCallPiece(value: unknown): CallPiece {
  const call = readObject(value);
  const { name, arguments: given }: Json = call.function === undefined ? call : readObject(call.function);
  const index = typeof call.index === "number" ? call.index : null;
  return { index, id: readText(call.id), name: readText(name), arguments: argumentsText(given) };
}

/**
 * An id for a call that has none. Nothing in such an answer tells it from others, so the id is made from what is
 * called: calls of different turns have different ids, unless they are the same.
 */
export function idOfCall({ name, arguments: text }: CallPiece, index: number): string {
  let hash = 0x811c9dc5;
  const given = `${name} ${text}`;
  for (let at = 0; at < given.length; at += 1) hash = Math.imul(hash ^ given.charCodeAt(at), 0x01000193) >>> 0;
  return `call_${hash.toString(36)}_${index}`;
}
