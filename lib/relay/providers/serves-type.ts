import type { OperationId } from "@/lib/operations";
import { servesOperation } from "@/lib/provider-catalogue";
import type { Tier } from "@/lib/snapshot/store";

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
