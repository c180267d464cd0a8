import { readStored, writeStored } from "@/components/ui/stored";
import type { MediaOperation } from "@/lib/playground/types";
import { asObject, parseJson } from "../wire";

/** A call that this browser remembers. `result` is what of it is kept. */
export type PastCall<Kept> = {
  id: string;
  /** Unix milliseconds. */
  at: number;
  model: string;
  title: string;
  input: string;
  parameters: Record<string, string | boolean>;
  result: Kept;
};

/** Limits of the kept calls of one account and one operation: their number, and their characters in total. */
export const CALLS_MAX = 20;
const CHARACTERS_MAX = 500_000;

const keyOf = (operation: MediaOperation, userId: number) => `playground-${operation}-history-${userId}`;

/** The kept calls, latest first; [] if they cannot be read. `isKept` says whether a stored result can be shown. */
export function readCalls<Kept>(
  operation: MediaOperation,
  userId: number,
  isKept: (value: unknown) => value is Kept,
): PastCall<Kept>[] {
  const { calls } = parseJson(readStored(keyOf(operation, userId)) ?? "{}");
  if (!Array.isArray(calls)) return [];
  return calls.filter((call): call is PastCall<Kept> => {
    const { id, at, model, title, input, parameters, result } = asObject(call);
    const texts = [id, model, title, input].every((value) => typeof value === "string");
    return texts && typeof at === "number" && typeof parameters === "object" && parameters !== null && isKept(result);
  });
}

/** Stores as many of the calls, latest first, as the limits allow. Returns them. */
export function storeCalls<Kept>(
  operation: MediaOperation,
  userId: number,
  calls: readonly PastCall<Kept>[],
): PastCall<Kept>[] {
  const kept = calls.slice(0, CALLS_MAX);
  let text = JSON.stringify({ calls: kept });
  while (text.length > CHARACTERS_MAX && kept.length > 0) {
    kept.pop();
    text = JSON.stringify({ calls: kept });
  }
  writeStored(keyOf(operation, userId), kept.length > 0 ? text : null);
  return kept;
}
