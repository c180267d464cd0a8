import type { OperationId } from "@/lib/operations";
import type { Tier } from "@/lib/snapshot/store";
import { rows } from "./rows";
import { servesChat } from "./serves-chat";

/** Whether a channel of this type can be asked for anything. */
export function servesType(type: number): boolean {
  const row = rows.get(type);
  return row !== undefined && (servesChat(row) || Object.keys(row.serves).length > 0);
}

/** Whether a channel of this type can be asked for an operation; no type can for one that there is not. */
export function servesOperation(type: number, operation: string): boolean {
  const row = rows.get(type);
  if (!row) return false;
  return operation === "chat" ? servesChat(row) : Object.hasOwn(row.serves, operation);
}

/** The tiers of a model never change in a snapshot. */
const servingByTiers = new WeakMap<readonly Tier[], Map<OperationId, readonly Tier[]>>();

/** The channels whose type can be asked for this kind of request; the same list where all can. */
export function tiersServing(tiers: readonly Tier[], operation: OperationId): readonly Tier[] {
  const byOperation = servingByTiers.get(tiers) ?? new Map<OperationId, readonly Tier[]>();
  const known = byOperation.get(operation);
  if (known) return known;
  const serves = ({ type }: Tier[number]): boolean => servesOperation(type, operation);
  const serving = tiers.every((tier) => tier.every(serves))
    ? tiers
    : tiers.map((tier) => tier.filter(serves)).filter((tier) => tier.length > 0);
  servingByTiers.set(tiers, byOperation.set(operation, serving));
  return serving;
}
