import { resolvePrice } from "@/lib/billing/price";
import { OPERATIONS, type OperationId } from "@/lib/operations";
import { servesType } from "@/lib/provider-catalogue";
import type { Snapshot, Tier } from "@/lib/snapshot/store";
import { abilityName, tiersFor } from "@/lib/snapshot/tiers-for";
import type { Caller } from "../../admission/authenticate";
import { RelayError } from "../../base/relay-error";
import { operations } from "../../operations";
import { tiersServing } from "../../providers/serves-type";
import { effectiveGroup } from "../../routing/route";

/** Group, and whether the user accepts models without a price → models in alphabetical order. */
type Lists = Map<string, readonly string[]>;
const listsBySnapshot = new WeakMap<Snapshot, Lists>();

/**
 * The models that a request of the caller's would not be refused for: its token may use them, its group has a channel whose
 * type is served, and there is a price. In alphabetical order.
 */
export function callableModels(caller: Caller, snapshot: Snapshot): readonly string[] {
  const { token } = caller;
  const ofGroup = modelsForOperations(caller, snapshot);
  if (!token.modelLimitsEnabled) return ofGroup;
  const inGroup = new Set(ofGroup);
  return [...token.models].filter((model) => inGroup.has(model) || inGroup.has(abilityName(model))).sort();
}

/** The model that a path names, as it was written or escaped. Throws 404 when it cannot be called. */
export function callableModel(written: string, caller: Caller, snapshot: Snapshot): string {
  const models = callableModels(caller, snapshot);
  const name = [written, decoded(written)].find((text) => models.includes(text));
  if (name !== undefined) return name;
  const message = `The model '${decoded(written)}' does not exist`;
  throw new RelayError("model_not_found", message, { param: "model" });
}

/** What a model is for, as far as its name and its channels tell; null = nobody serves it. */
export function purposeOf(model: string, caller: Caller, snapshot: Snapshot): OperationId | null {
  const tiers = tiersFor(snapshot.abilities.get(effectiveGroup(caller, snapshot)), model);
  const serving = operations.filter(({ id }) => tiersServing(tiers, id).length > 0);
  const named = serving.find(({ test }) => test?.models?.test(model));
  return (named ?? serving[0])?.id ?? null;
}

/** Those of the group that a channel serves for what the token may be used for. */
function modelsForOperations(caller: Caller, snapshot: Snapshot): readonly string[] {
  const models = modelsOfGroup(caller, snapshot);
  const { operations } = caller.token;
  if (operations.size === 0) return models;
  const allowed = OPERATIONS.filter((operation) => operations.has(operation));
  const abilities = snapshot.abilities.get(effectiveGroup(caller, snapshot));
  return models.filter((model) =>
    allowed.some((operation) => tiersServing(abilities?.get(model) ?? [], operation).length > 0),
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function modelsOfGroup(caller: Caller, snapshot: Snapshot): readonly string[] {
  const group = effectiveGroup(caller, snapshot);
  const { acceptsUnpriced } = caller.user;
  const lists = listsBySnapshot.get(snapshot) ?? (new Map() as Lists);
  listsBySnapshot.set(snapshot, lists);
  const key = JSON.stringify([group, acceptsUnpriced]);
  const known = lists.get(key);
  if (known) return known;
  const ratio = snapshot.options.GroupRatio[group] ?? 1;
  const hasPrice = (model: string) => resolvePrice(model, ratio, snapshot.options, acceptsUnpriced) !== null;
  const models = [...(snapshot.abilities.get(group) ?? [])]
    .filter(([model, tiers]) => isServed(tiers) && hasPrice(model))
    .map(([model]) => model)
    .sort();
  lists.set(key, models);
  return models;
}

function isServed(tiers: readonly Tier[]): boolean {
  return tiers.some((tier) => tier.some(({ type }) => servesType(type)));
}
