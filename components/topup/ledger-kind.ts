import type { StatementLine } from "@/lib/topup/types";

/** The kinds of movements that have a name. */
export const MOVEMENT_KINDS = [
  "topup",
  "redemption",
  "grant",
  "adjustment",
  "invitation",
  "transfer",
  "refund",
  "consumption",
] as const;

export type MovementKind = (typeof MOVEMENT_KINDS)[number];

export function toMovementKind(kind: string): MovementKind | null {
  return MOVEMENT_KINDS.find((known) => known === kind) ?? null;
}

/** What a reference names, e.g. the number of an order or the id of a code; "" where that says nothing to the reader. */
export function namedIn({ kind, reference }: Pick<StatementLine, "kind" | "reference">): string {
  if (kind !== "topup" && kind !== "redemption") return "";
  return reference.slice(reference.indexOf(":") + 1);
}

/** The day of a line of consumption as yyyy-MM-dd (UTC, as the books count days). */
export function dayOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 10);
}
