import { mayThink } from "@/lib/billing/model-limits";
import { affordableTokens } from "@/lib/billing/price";
import { type BilledUsage, NO_USAGE } from "@/lib/billing/types";
import { NO_PROMPT, type Quote, tokensFor } from "../admission/quote";
import type { Report } from "../answers/answer";
import type { Delivery } from "../http/delivery";
import type { Intake } from "../operations/operation";
import type { RequestOutcome, ReservedRequest } from "./settle";

export type Measured = {
  /** What the caller is charged for. */
  usage: BilledUsage;
  /** All that the upstream delivered, where its stream was drained, or where it went on with that of another. */
  drained?: BilledUsage;
};

type Gone = Delivery & { outcome: "gone" };

/** An upstream that works unseen writes about as many tokens in a second, after it has begun. */
const UNSEEN_PER_SECOND = 100;
const UNSEEN_BEGINS_MS = 1_000;

/** The usage of a request. The promise never rejects. `reserved`: the quota that is reserved for it by now. */
export function measureDelivery(
  intake: Intake,
  quote: Quote,
  delivery: Delivery,
  reserved: number,
): Measured | Promise<Measured> {
  if (delivery.outcome === "failed") return { usage: NO_USAGE };
  if (delivery.outcome === "gone") return measureLeft(intake, quote, delivery, reserved);
  const usage = measureReport(intake, quote, delivery, delivery.report, delivery.outcome === "answered");
  const { own: drained } = delivery;
  if (drained) return Promise.resolve(usage).then((counted) => ({ usage: counted, drained }));
  return usage instanceof Promise ? usage.then((counted) => ({ usage: counted })) : { usage };
}

/**
 * What a caller pays who left: what the upstream used, where its answer was read to the end; else what had been delivered, and
 * what the upstream may have done unseen by then. Of what was written after something had reached it, no more than was
 * reserved.
 */
async function measureLeft(intake: Intake, quote: Quote, delivery: Gone, reserved: number): Promise<Measured> {
  const { wasSent, isOurWait, report, drained, own } = delivery;
  const failedUnseen = report === null && drained?.failed !== undefined;
  if (!wasSent || isOurWait || failedUnseen) return { usage: NO_USAGE };
  const tokensMax = tokensFor(reserved, quote);
  if (!drained?.isWhole) {
    const delivered = await measureReport(intake, quote, delivery, report, false);
    return { usage: withUnseen(delivered, Math.min(tokensMax, unseenTokens(quote, intake, delivery))) };
  }
  const all = await measureReport(intake, quote, delivery, drained.report, true);
  // Usage that cannot be true was reported all the same, and is charged up to its bound.
  const isReported = !all.estimated || all.rejected !== undefined;
  const isCovered = isReported && all.completionTokens <= tokensMax;
  if (report === null || isCovered) return { usage: all, drained: own ?? all };
  const delivered = await measureReport(intake, quote, delivery, report, false);
  if (!isReported) return { usage: delivered, drained: all };
  return { usage: withAtMost(all, Math.max(tokensMax, delivered.completionTokens)), drained: own ?? all };
}

/** Tokens that the upstream may have written before something of its answer reached the caller. */
function unseenTokens(quote: Quote, { isStream, need }: Intake, { unseenMs, isCutOff }: Gone): number {
  const writesUnseen = !need.isWhole && need.completionTokensMax !== 0 && (!isStream || quote.isUnseen);
  if (!writesUnseen || isCutOff) return 0;
  return Math.floor((Math.max(0, unseenMs - UNSEEN_BEGINS_MS) * UNSEEN_PER_SECOND) / 1_000);
}

/** What was delivered may include what was written before it. */
function withUnseen(usage: BilledUsage, tokens: number): BilledUsage {
  if (tokens <= usage.completionTokens) return usage;
  return { ...usage, completionTokens: tokens, estimated: true };
}

function withAtMost(usage: BilledUsage, tokensMax: number): BilledUsage {
  const completionTokens = Math.min(usage.completionTokens, tokensMax);
  return { ...usage, completionTokens, audioCompletionTokens: Math.min(usage.audioCompletionTokens, completionTokens) };
}

/**
 * The usage of a stream that was ended because its balance was used up. Its text was counted while it ran, and paid for by what is
 * reserved. Where the last count takes too long, lengths stand for it: they are on the high side, and must not overdraw the balance.
 */
export function withinReserved(
  { operation, quote, reservation, earlier }: Pick<ReservedRequest, "operation" | "quote" | "reservation" | "earlier">,
  ended: RequestOutcome,
): RequestOutcome {
  const { usage, delivery } = ended;
  if (delivery.outcome !== "spent" || earlier || !usage.estimated || usage.rejected) return ended;
  const chargeOf = (completionTokens: number): number =>
    operation.charge(withAtMost(usage, completionTokens), quote.price).quota;
  if (chargeOf(usage.completionTokens) <= reservation.amount) return ended;
  const left = Math.max(0, reservation.amount - chargeOf(0));
  return { ...ended, usage: withAtMost(usage, affordableTokens(left, NO_PROMPT, quote.price)) };
}

function measureReport(
  intake: Intake,
  quote: Quote,
  delivery: Delivery,
  report: Report | null,
  isAnswered: boolean,
): BilledUsage | Promise<BilledUsage> {
  return intake.measure(report, {
    bodyBytes: delivery.upstream?.body.length ?? 0,
    pictureBytes: delivery.upstream?.pictureBytes ?? 0,
    hidden: quote.hidden,
    completionTokensMax: quote.completionTokensMax,
    unseenTokensMax: unseenTokensMax(quote, delivery),
    isAnswered,
    hasLeft: delivery.outcome === "gone" && !delivery.drained?.isWhole && !delivery.isCutOff,
  });
}

/** Only a model that thinks, or speaks, writes tokens that its text does not show. */
function unseenTokensMax({ limits, need, completionTokensMax }: Quote, { upstream }: Delivery): number {
  const canThink = limits.thinks !== "never" || (upstream !== null && mayThink(upstream.model));
  return canThink || need.prompt.writesAudio ? completionTokensMax : 0;
}

export function tokensOf({ promptTokens, completionTokens }: BilledUsage): number {
  return promptTokens + completionTokens;
}

/** What a stream would be charged as if it ended now. Null = that cannot be told. */
export async function chargeSoFar(
  request: Pick<ReservedRequest, "intake" | "operation" | "quote">,
  report: Report,
): Promise<number | null> {
  const { intake, operation, quote } = request;
  const { hidden, completionTokensMax } = quote;
  const usage = await intake.measure(report, {
    bodyBytes: Number.MAX_SAFE_INTEGER,
    pictureBytes: 0,
    hidden,
    completionTokensMax,
    unseenTokensMax: completionTokensMax,
    isAnswered: false,
  });
  return usage.rejected ? null : operation.charge(usage, quote.price).quota;
}
