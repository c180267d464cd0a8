import { costedUsage, describeRejected } from "@/lib/billing/bound-usage";
import type { Reservation } from "@/lib/billing/lease";
import { NO_QUOTA } from "@/lib/billing/quota";
import type { Settlement } from "@/lib/billing/settle";
import { type BilledUsage, type Charge, NO_USAGE, type PriceOptions, type PriceRow } from "@/lib/billing/types";
import { type MeterUsage, meterPriceBound, meterPriceUsed, quantityOf } from "@/lib/meters";
import { LOG_TYPE } from "@/lib/row-status";
import type { Caller } from "../admission/authenticate";
import { costRequest, deliveringIndex, describeCostRow, type RequestCost } from "../admission/cost";
import type { Quote } from "../admission/quote";
import { replyOf } from "../base/refusals/refusal-table";
import { cleanText } from "../base/upstream-error";
import { type Delivery, isAbandoned, type LostDelivery } from "../http/delivery";
import type { Exchange } from "../http/exchange";
import { chargeOfParts, describeMediaRatios, describeParts, lastPart, type Part, usageOfParts } from "../http/parts";
import type { Intake, Operation } from "../operations/operation";
import { taskColumns } from "../operations/tasks/new-task";
import type { Preference } from "../routing/affinity";
import { describeAffinity } from "../routing/affinity/describe";
import type { Route } from "../routing/route";
import { codeOf } from "../wire/canonical/wire-error";
import { keptObjects } from "./kept-objects";

/** A request from its reservation on. */
export type ReservedRequest = {
  exchange: Exchange;
  caller: Caller;
  operation: Operation;
  intake: Intake;
  route: Route;
  quote: Quote;
  reservation: Reservation;
  /** Where the conversation was wanted; null = nowhere. */
  preference: Preference | null;
  /** Of the snapshot in which the channels are. */
  options: PriceOptions;
  isLogged: boolean;
  /** As the caller named it; `intake` has the model that was asked. */
  requestedModel: string;
  /** What other models wrote of the answer before `intake`'s went on with it; absent = nothing. */
  earlier?: readonly Part[];
};

/** What a charge needs of its request. */
export type Chargeable = Omit<ReservedRequest, "exchange" | "reservation"> & {
  exchange: Pick<Exchange, "id" | "clientIp" | "elapsedMs">;
  /** Null = nothing is reserved for it any more. */
  reservation: Reservation | null;
};

/** How a request ended. */
export type RequestOutcome = {
  delivery: Delivery | LostDelivery;
  usage: BilledUsage;
  /** What the upstream delivered in all, where the caller is charged for less of it (a drained stream). */
  drained?: BilledUsage | undefined;
};

/** Builds the settlement of a request for any outcome. README.md lists what is charged for each outcome. */
export function buildSettlement(request: Chargeable, ended: RequestOutcome): Settlement {
  const { exchange, caller, operation, intake, route, quote, reservation, isLogged } = request;
  const { delivery, usage } = ended;
  const isFailure = delivery.outcome === "failed";
  const earlier = request.earlier ?? NO_PARTS;
  const own = earlier.length === 0 ? usage : lastPart(usage, earlier);
  const ownCharge: Charge = isNothing(own) ? { quota: NO_QUOTA, lines: [] } : operation.charge(own, quote.price);
  const charge = earlier.length === 0 ? ownCharge : chargeOfParts(earlier, ownCharge);
  const cost = costOf(request, ended);
  const other = describeCharge(request, ended, { charge, cost });
  if (earlier.length > 0) other.parts = describeParts([...earlier, partOf(request, own, ownCharge)]);
  return {
    requestId: exchange.id,
    createdAt: Math.floor(Date.now() / 1000),
    type: isFailure ? LOG_TYPE.error : LOG_TYPE.consume,
    userId: caller.user.id,
    username: caller.user.username,
    tokenId: caller.token.id,
    tokenName: caller.token.name,
    channelId: channelIdOf(delivery),
    modelName: intake.model,
    group: route.group,
    usage: earlier.length === 0 ? usage : usageOfParts(earlier, own),
    quota: charge.quota,
    cost: { quota: cost.quota, unbilled: cost.unbilled, unknown: cost.unknown },
    useTimeMs: exchange.elapsedMs(),
    firstTokenMs: "firstTokenMs" in delivery ? delivery.firstTokenMs : null,
    isStream: intake.isStream,
    reservation: isFailure ? null : reservation,
    content: describeOutcome(delivery, usage),
    failure:
      delivery.outcome === "failed" ? { status: delivery.reply.status, code: codeOf(delivery.reply.error) } : undefined,
    other,
    clientIp: exchange.clientIp,
    hidden: !isLogged,
    objects:
      intake.asksToStore === true ? keptObjects(delivery, channelIdOf(delivery), ended.drained ?? usage) : undefined,
    task: intake.makesTask === true ? takenTask(delivery, quote) : undefined,
  };
}

const NO_PARTS: readonly Part[] = [];

export function partOf(
  { intake, quote }: Pick<ReservedRequest, "intake" | "quote">,
  usage: BilledUsage,
  charge: Charge,
): Part {
  return { model: intake.model, price: quote.price, usage, charge };
}

/** As columns of its row, which comes with the charge. */
function takenTask(delivery: RequestOutcome["delivery"], { price }: Quote): Settlement["task"] {
  if (delivery.outcome !== "answered" || !delivery.report.task || !delivery.upstream) return undefined;
  return taskColumns(delivery.report.task, delivery.upstream.secrets.keyHash(), price);
}

/** What is booked of a submission whose process ended before its answer was: nobody knows whether it was taken. */
export function lostSubmission(request: ReservedRequest): Settlement {
  const { exchange } = request;
  const delivery: Delivery = {
    outcome: "failed",
    used: [...exchange.tried],
    attempts: null,
    upstream: null,
    reply: replyOf("process_ended", LOST_SUBMISSION),
    retryAfterMs: null,
    spent: { begunAt: 0, waitLeftMs: 0, used: [], attempts: null, refusal: null, tooShort: new Set() },
  };
  const settlement = buildSettlement(request, { delivery, usage: NO_USAGE });
  return { ...settlement, cost: { ...settlement.cost, unknown: 1 } };
}

const LOST_SUBMISSION =
  "the gateway process ended while a task was submitted; it was not charged, and the upstream may have taken it";

function isNothing({ promptTokens, completionTokens, meters }: BilledUsage): boolean {
  return promptTokens + completionTokens === 0 && !meters?.some((used) => quantityOf(used) > 0);
}

/** The channel that delivered, else the one that was asked last. */
function channelIdOf({ attempts, used }: RequestOutcome["delivery"]): number {
  return attempts?.[deliveringIndex(attempts)]?.channel ?? used.at(-1)?.id ?? 0;
}

function costOf({ intake, options }: Chargeable, { delivery, usage, drained }: RequestOutcome): RequestCost {
  const { used, attempts, upstream } = delivery;
  const isAnswer = delivery.outcome !== "failed" && (delivery.outcome !== "gone" || delivery.drained?.isWhole === true);
  const all = drained ?? usage;
  const delivered = isAbandoned(delivery) ? "unknown" : costedUsage(all);
  return costRequest({
    model: intake.model,
    options,
    used,
    upstreamModel: upstream?.model,
    attempts,
    delivered: isAnswer || delivered === "unknown" ? delivered : null,
    billed: drained || all.rejected ? usage : null,
  });
}

const NOTES = {
  answered: "",
  cut: "the upstream closed the connection early; charged for what was delivered",
  gone: "the client disconnected; charged for what was delivered",
  unseen: "the client disconnected and the upstream was stopped; charged for what it may have done until then",
  spent: "the balance was used up; charged for what was delivered",
  lost: "the gateway process ended; charged for what was delivered",
  stopped: "the gateway was stopped; charged for what was delivered",
} as const;

function describeOutcome(delivery: RequestOutcome["delivery"], usage: BilledUsage): string {
  if (delivery.outcome === "failed") return cleanText(delivery.reply.error.message);
  if (delivery.outcome !== "gone") return NOTES[delivery.outcome];
  if (delivery.isCutOff) return delivery.isOurWait ? "the gateway was stopped; not charged" : NOTES.stopped;
  if (delivery.isOurWait) return "the client disconnected after a long wait; not charged";
  if (delivery.report === null && delivery.drained?.failed) {
    return "the client disconnected, and the upstream did not answer; not charged";
  }
  if (delivery.report === null && delivery.wasSent && !delivery.drained?.isWhole) return NOTES.unseen;
  return isUsageCharged(delivery, usage)
    ? "the client disconnected; charged for what the upstream had used when its answer ended"
    : NOTES.gone;
}

/** A drain reported what the upstream used, and the caller pays that, up to its bound. */
function isUsageCharged(delivery: Delivery & { outcome: "gone" }, usage: BilledUsage): boolean {
  return delivery.drained?.isWhole === true && (!usage.estimated || usage.rejected !== undefined);
}

/** What lib/health counts the request as; null = the channel did what it should. */
function outcomeOf({ outcome }: RequestOutcome["delivery"], { rejected }: BilledUsage): string | null {
  if (outcome === "answered" || outcome === "spent") return rejected ? "usage" : null;
  return outcome;
}

/** Contract §5.8: how much of a usage is sound. */
export function describeAudio(usage: BilledUsage, price: PriceRow): Record<string, unknown> {
  return {
    audio: true,
    audio_input: usage.audioPromptTokens,
    audio_output: usage.audioCompletionTokens,
    text_input: usage.promptTokens - usage.audioPromptTokens,
    text_output: usage.completionTokens - usage.audioCompletionTokens,
    audio_ratio: price.audioRatio,
    audio_completion_ratio: price.audioCompletionRatio,
  };
}

/** What a usage has of pictures and of cached sound that its price tells apart; null = nothing. */
export function describeMedia(usage: BilledUsage, price: PriceRow): Record<string, unknown> | null {
  const { imagePromptTokens = 0, cachedAudioTokens = 0, cachedImageTokens = 0 } = usage;
  if (imagePromptTokens + cachedAudioTokens + cachedImageTokens === 0) return null;
  return {
    ...(imagePromptTokens > 0 ? { image: true, image_input: imagePromptTokens } : {}),
    ...(cachedAudioTokens > 0 ? { audio_cached: cachedAudioTokens } : {}),
    ...(cachedImageTokens > 0 ? { image_cached: cachedImageTokens } : {}),
    ...describeMediaRatios(price),
  };
}

/** What meters counted, with the USD per unit that they were charged at; null = no price of their own. */
function describeMeters(
  meters: readonly MeterUsage[],
  { meterPrices }: PriceRow,
  isBound: boolean,
): Record<string, unknown>[] {
  const priceOf = isBound ? meterPriceBound : meterPriceUsed;
  return meters.map(({ meter, variant, quantity }) => ({
    meter,
    ...(variant ? { variant } : {}),
    quantity,
    price: (meterPrices && priceOf(meterPrices, { meter, ...(variant ? { variant } : {}) })) ?? null,
  }));
}

/** The log row's details (contract §5.8): the price, the line items, and the attempts. */
function describeCharge(
  { quote, intake, operation, reservation, requestedModel, preference }: Chargeable,
  { delivery, usage, drained }: RequestOutcome,
  { charge, cost }: { charge: Charge; cost: RequestCost },
): Record<string, unknown> {
  const { price } = quote;
  const costPrice = cost.row && describeCostRow(cost.row, intake.model);
  const affinity =
    delivery.outcome === "failed"
      ? null
      : describeAffinity(preference, { operation, usage, price, charge, cost: cost.row });
  const forAdmins: Record<string, unknown> = { use_channel: delivery.used.map(({ id }) => String(id)) };
  if (delivery.attempts) forAdmins.attempts = delivery.attempts;
  if (costPrice) forAdmins.cost = costPrice;
  if (affinity) forAdmins.affinity = affinity.forAdmins;
  const other: Record<string, unknown> = {
    model_ratio: price.modelRatio,
    group_ratio: price.groupRatio,
    completion_ratio: price.completionRatio,
    cache_tokens: usage.cachedTokens,
    cache_ratio: price.cacheRatio,
    model_price: price.modelPrice ?? -1,
    quota_per_unit: price.quotaPerUnit,
    frt: "firstTokenMs" in delivery && delivery.firstTokenMs !== null ? delivery.firstTokenMs : -1000,
    lines: charge.lines,
    admin_info: forAdmins,
  };
  if (affinity) other.affinity = affinity.shown;
  if (requestedModel !== intake.model) other.requested_model = requestedModel;
  if (usage.estimated && !(price.metersOnly && usage.areMetersReported)) other.estimated = true;
  if (usage.meters) other.meters = describeMeters(usage.meters, price, usage.areMetersOpen ?? false);
  if (charge.unpriced) other.unpriced = charge.unpriced;
  const report = "report" in delivery ? delivery.report : null;
  if (report?.dearTier !== undefined) other.service_tier = report.dearTier;
  const searches = report?.usage?.webSearches ?? 0;
  if (searches > 0) Object.assign(other, { web_search: true, web_search_call_count: searches });
  if (report?.badEvents !== undefined) other.bad_events = report.badEvents;
  const held = reservation?.amount ?? 0;
  if (charge.quota > held) other.beyond_reservation = charge.quota - held;
  if (delivery.outcome === "spent") other.ended_by_balance = true;
  if ("isContinued" in delivery && delivery.isContinued) other.continued = true;
  if (delivery.outcome === "gone" && delivery.drained) {
    const { ms, isWhole } = delivery.drained;
    other.drained = { ms, whole: isWhole, completion_tokens: (drained ?? usage).completionTokens };
  }
  if (usage.rejected) other.usage_rejected = describeRejected(usage.rejected);
  if (usage.audioPromptTokens + usage.audioCompletionTokens > 0) Object.assign(other, describeAudio(usage, price));
  const media = describeMedia(usage, price);
  if (media) Object.assign(other, media);
  const upstreamModel = delivery.upstream?.model;
  if (upstreamModel !== undefined && upstreamModel !== intake.model) {
    Object.assign(other, { is_model_mapped: true, upstream_model_name: upstreamModel });
  }
  const outcome = outcomeOf(delivery, usage);
  if (outcome !== null) other.outcome = outcome;
  if (delivery.outcome === "failed") other.status_code = delivery.reply.status;
  return other;
}
