import { type CostRow, costUsage } from "@/lib/billing/cost";
import type { BilledUsage, Charge, PriceRow } from "@/lib/billing/types";
import type { Operation } from "../../operations/operation";
import type { Preference } from "./preference";

/** A request that was charged. */
export type Charged = {
  operation: Pick<Operation, "charge">;
  usage: BilledUsage;
  price: PriceRow;
  charge: Charge;
  /** What the upstream takes; null = unknown. */
  cost: CostRow | null;
};

export type AffinityNote = {
  /** `saved`: what the cached tokens would have cost the caller beyond what they did, in quota. */
  shown: { by: string; hit: boolean; saved?: number };
  /** `chance`: how likely weights alone had led to the same channel and key; `cost_saved`: like `saved`, at our cost. */
  forAdmins: { chance: number; cost_saved?: number };
};

/** What the log says of a request whose conversation had a warm cache; null = there was none. */
export function describeAffinity(preference: Preference | null, charged: Charged): AffinityNote | null {
  const kept = preference?.kept();
  if (!kept) return null;
  const { by, isHit: hit } = kept;
  const { usage, operation, price, charge, cost } = charged;
  const chance = Math.round(kept.chance * 100) / 100;
  if (!hit || usage.cachedTokens === 0) return { shown: { by, hit }, forAdmins: { chance } };
  const uncached = { ...usage, cachedTokens: 0 };
  const saved = operation.charge(uncached, price).quota - charge.quota;
  const costSaved = cost ? costUsage(uncached, cost).quota - costUsage(usage, cost).quota : 0;
  return {
    shown: { by, hit, ...(saved > 0 ? { saved } : {}) },
    forAdmins: { chance, ...(costSaved > 0 ? { cost_saved: costSaved } : {}) },
  };
}
