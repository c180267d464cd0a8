import { mayThink } from "@/lib/billing/model-limits";
import { type BilledUsage, NO_USAGE } from "@/lib/billing/types";
import type { Report } from "../answers/answer";
import type { Intake } from "../operations/operation";
import type { Drained } from "../transport/upstream-drains";
import type { Delivery } from "./dispatch";
import { type Quote, tokensFor } from "./quote";

export type Measured = {
  /** What the caller is charged for. */
  usage: BilledUsage;
  /** All that the upstream delivered, where its stream was drained, or where it went on with that of another. */
  drained?: BilledUsage;
};

/** The usage of a request. The promise never rejects. `reserved`: the quota that is reserved for it by now. */
export function measureDelivery(
  intake: Intake,
  quote: Quote,
  delivery: Delivery,
  reserved: number,
): Measured | Promise<Measured> {
  if (delivery.outcome === "gone" && delivery.drained)
    return measureDrained(intake, quote, delivery, delivery.drained, reserved);
  const usage = measureDelivered(intake, quote, delivery);
  const { own: drained } = delivery;
  if (drained) return Promise.resolve(usage).then((counted) => ({ usage: counted, drained }));
  return usage instanceof Promise ? usage.then((counted) => ({ usage: counted })) : { usage };
}

/** Zero when no upstream received the request, or when the client left after a wait of ours. */
function measureDelivered(intake: Intake, quote: Quote, delivery: Delivery): BilledUsage | Promise<BilledUsage> {
  const isFree = delivery.outcome === "gone" && (!delivery.wasSent || delivery.isOurWait);
  if (delivery.outcome === "failed" || isFree) return NO_USAGE;
  return measureReport(intake, quote, delivery, delivery.report, delivery.outcome === "answered");
}

/**
 * A stream whose caller left: what the upstream reported at its end, but no more of the answer than was reserved for it;
 * what was delivered, where the end did not arrive or reported nothing that can be true.
 */
async function measureDrained(
  intake: Intake,
  quote: Quote,
  delivery: Delivery,
  { report, isWhole }: Drained,
  reserved: number,
): Promise<Measured> {
  const drained = await measureReport(intake, quote, delivery, report, isWhole);
  const isReported = isWhole && (!drained.estimated || drained.rejected !== undefined);
  const tokensMax = tokensFor(reserved, quote);
  if (isReported && drained.completionTokens <= tokensMax) return { usage: drained, drained };
  const delivered = await measureDelivered(intake, quote, delivery);
  if (isReported) return { usage: withAtMost(drained, Math.max(tokensMax, delivered.completionTokens)), drained };
  return { usage: delivered, drained };
}

function withAtMost(usage: BilledUsage, tokensMax: number): BilledUsage {
  const completionTokens = Math.min(usage.completionTokens, tokensMax);
  return { ...usage, completionTokens, audioCompletionTokens: Math.min(usage.audioCompletionTokens, completionTokens) };
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
    hidden: quote.hidden,
    completionTokensMax: quote.completionTokensMax,
    unseenTokensMax: unseenTokensMax(quote, delivery),
    isAnswered,
    hasLeft: delivery.outcome === "gone",
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
