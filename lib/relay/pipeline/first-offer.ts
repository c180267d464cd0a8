import type { Snapshot, Tier } from "@/lib/snapshot/store";
import type { Caller } from "../admission/authenticate";
import { checkWords } from "../admission/check-words";
import { quoteRequest } from "../admission/quote";
import { RelayError } from "../base/relay-error";
import type { Intake, OperationId } from "../operations/operation";
import { findRoute, isNoChannel, type Route, routeForStored } from "../routing/route";
import type { ClientDialect } from "../wire/dialects/dialect";
import type { Fallbacks, Offer } from "./model-fallback";

/** The requested model; if no channel has it, the next one that may be asked. Throws RelayError. */
export function firstOffer(caller: Caller, intake: Intake, snapshot: Snapshot, fallbacks: Fallbacks | null): Offer {
  let route: Route;
  try {
    route = findRoute(caller, intake.model, snapshot, intake.operation);
  } catch (error) {
    const other = isNoChannel(error) ? fallbacks?.take() : null;
    if (!fallbacks || !other) throw error;
    fallbacks.unavailable = error as RelayError;
    checkWords(intake, snapshot.options);
    return other;
  }
  checkWords(intake, snapshot.options);
  route = routeForStored(route, intake.storedAddress);
  if (intake.fits) route = { ...route, tiers: fittingTiers(route, intake.fits) };
  return { intake, route, quote: quoteRequest(intake, route, caller.user, snapshot) };
}

function fittingTiers({ tiers }: Route, fits: NonNullable<Intake["fits"]>): Tier[] {
  const fitting = tiers.map((tier) => tier.filter(fits)).filter((tier) => tier.length > 0);
  if (fitting.length > 0) return fitting;
  const message = "no channel of this model has an upstream that answers in the background";
  throw new RelayError("background_not_served", message, { param: "background" });
}

/** Throws RelayError for a model that cannot be asked, unless there may be others, as the `start` of the body tells. */
export function checkModel(
  { fallbacksField: field }: ClientDialect,
  caller: Caller,
  model: string,
  start: Buffer,
  snapshot: Snapshot,
  operation: OperationId,
): void {
  try {
    findRoute(caller, model, snapshot, operation);
  } catch (error) {
    const isListed = Object.hasOwn(snapshot.options.ModelFallbacks, model);
    const hasOwn = field !== undefined && start.includes(`"${field}"`);
    if (!isNoChannel(error) || !(isListed || hasOwn)) throw error;
  }
}
