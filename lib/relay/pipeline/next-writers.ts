import type { LeaseBook } from "@/lib/billing/lease";
import { NO_QUOTA } from "@/lib/billing/quota";
import type { Charge } from "@/lib/billing/types";
import { deliveringIndex } from "../admission/cost";
import { type Quote, withoutPrompt } from "../admission/quote";
import type { CutDelivery, Delivery } from "../http/delivery";
import { lastPart, type Part, sumOfParts } from "../http/parts";
import { measureDelivery } from "./measure";
import { type Fallbacks, nameModel, type Served } from "./model-fallback";
import { partOf, type ReservedRequest } from "./settle";

/** What it takes to let other models go on with a stream. */
export type Writing = {
  fallbacks: Fallbacks;
  /** Where more is reserved for the request. */
  leases: Pick<LeaseBook, "extend">;
  /** Tokens of an answer that an operator wants reserved at least. */
  expected: number;
  /** The request goes on as this one. */
  begin: (request: ReservedRequest) => void;
  /** Asks the channels of its model for the rest. */
  goOn: (request: ReservedRequest, cut: CutDelivery, writers: readonly string[]) => Promise<Delivery>;
};

/**
 * A stream broke off, and no channel of its model could go on with it: the next models do that may write, one after the
 * other. Each part of the answer is charged at the price of the model that wrote it, and the prompt at that of the first.
 */
export async function goOnByModels(
  served: Served<ReservedRequest>,
  cut: CutDelivery,
  writing: Writing,
): Promise<Served<ReservedRequest>> {
  let { request }: { request: ReservedRequest } = served;
  let last = cut;
  while (!last.isForbidden && !request.exchange.isGone) {
    request.preference?.ended(last, { cachedTokens: 0 });
    const part = await partSoFar(request, last);
    const earlier = [...(request.earlier ?? []), part];
    nameModel(last.attempts, request.intake.model);
    const next = await nextRequest(request, earlier, writing);
    if (!next) break;
    writing.begin(next);
    const attempts = last.attempts ?? [];
    const writers = [...earlier.map(({ model }) => model), next.intake.model];
    const ending = attempts[deliveringIndex(attempts)];
    if (ending) {
      ending.isCharged = true;
      ending.used ??= part.usage;
    }
    const delivery = await writing.goOn(next, last, writers);
    if (delivery.outcome !== "cut") return { request: next, delivery };
    // Whoever added nothing wrote no part.
    if (delivery.report === last.report) writing.begin(request);
    else request = next;
    if (delivery.report === last.report && ending) delete ending.isCharged;
    last = delivery;
  }
  return { request, delivery: last };
}

async function partSoFar(request: ReservedRequest, cut: CutDelivery): Promise<Part> {
  const { intake, quote, reservation, operation, earlier = [] } = request;
  const { usage: whole } = await measureDelivery(intake, quote, cut, reservation.amount);
  const usage = earlier.length === 0 ? whole : lastPart(whole, earlier);
  const isNothing = usage.promptTokens + usage.completionTokens === 0;
  const charge: Charge = isNothing ? { quota: NO_QUOTA, lines: [] } : operation.charge(usage, quote.price);
  return partOf(request, usage, charge);
}

/** The next model that the balance carries as well; null = there is none. */
async function nextRequest(
  request: ReservedRequest,
  earlier: readonly Part[],
  writing: Writing,
): Promise<ReservedRequest | null> {
  const { fallbacks, expected } = writing;
  for (let offer = fallbacks.takeWriter(); offer; offer = fallbacks.takeWriter()) {
    const { intake, route } = offer;
    if (intake.isContinuable !== true) continue;
    const quote = withoutPrompt(offer.quote, intake.isStream, expected);
    if (!(await reserveRest(request, earlier, quote, writing))) continue;
    return { ...request, intake, route, quote, preference: null, earlier };
  }
  return null;
}

/** Adds to what is reserved for the parts before. False = the balance or a budget does not carry it. */
async function reserveRest(
  { reservation }: ReservedRequest,
  earlier: readonly Part[],
  { amount, least, fair }: Quote,
  { leases }: Writing,
): Promise<boolean> {
  const free = reservation.amount - sumOfParts(earlier).quota;
  if (free >= amount) return true;
  const want = { amount: amount - free, least: Math.max(1, least - free), fair: Math.max(1, fair - free) };
  return (await leases.extend(reservation, want)) > 0 || free >= least;
}
