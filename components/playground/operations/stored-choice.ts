import { readStored, writeStored } from "@/components/ui/stored";
import type { MediaOperation } from "@/lib/playground/types";
import { asObject, parseJson } from "../wire";

/** The parameters of an operation as its fields have them; "" = not set. */
export type Parameters = Record<string, string | boolean>;
export type Choice<P extends Parameters> = { group: string; model: string; parameters: P };

const keyOf = (operation: MediaOperation, userId: number) => `playground-${operation}-${userId}`;

/** The choice of the last visit; null if there is none. What an older version stored otherwise is as in `usual`. */
export function readChoice<P extends Parameters>(
  operation: MediaOperation,
  userId: number,
  usual: P,
): Choice<P> | null {
  const { group, model, parameters } = parseJson(readStored(keyOf(operation, userId)) ?? "{}");
  if (typeof group !== "string" || typeof model !== "string") return null;
  return { group, model, parameters: fitting(usual, asObject(parameters)) };
}

export function storeChoice<P extends Parameters>(operation: MediaOperation, userId: number, choice: Choice<P>): void {
  writeStored(keyOf(operation, userId), JSON.stringify(choice));
}

/** The usual parameters with those that were given and have the right type. */
export function fitting<P extends Parameters>(usual: P, given: Record<string, unknown>): P {
  const known = Object.entries(given).filter(([name, value]) => typeof value === typeof usual[name]);
  return { ...usual, ...Object.fromEntries(known.filter(([name]) => Object.hasOwn(usual, name))) };
}
