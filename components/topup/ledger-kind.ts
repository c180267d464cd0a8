import type { StatementLine } from "@/lib/topup/types";

/** The movement kinds that have a translated name. */
export const MOVEMENT_KINDS = [
  "topup",
  "redemption",
  "grant",
  "adjustment",
  "invitation",
  "transfer",
  "refund",
  "reversal",
  "consumption",
] as const;

export type MovementKind = (typeof MOVEMENT_KINDS)[number];

export function toMovementKind(kind: string): MovementKind | null {
  return MOVEMENT_KINDS.find((known) => known === kind) ?? null;
}

/** The order number or code id in a reference; "" for kinds whose reference means nothing to the user. */
export function namedIn({ kind, reference }: Pick<StatementLine, "kind" | "reference">): string {
  if (kind === "reversal") return /^reversal:([^:]+):/.exec(reference)?.[1] ?? "";
  if (kind !== "topup" && kind !== "redemption") return "";
  return reference.slice(reference.indexOf(":") + 1);
}

/** The day of a consumption line as yyyy-MM-dd, by the clock of the time zone that it was summed in. */
export function dayOf(seconds: number, timeZone: string): string {
  return new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short" }).format(seconds * 1_000);
}
