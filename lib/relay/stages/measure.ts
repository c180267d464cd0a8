import { mayThink } from "@/lib/billing/model-limits";
import { type BilledUsage, NO_USAGE } from "@/lib/billing/types";
import type { Intake } from "../operations/operation";
import type { Delivery } from "./dispatch";
import type { Quote } from "./quote";

/** The usage of a request; zero when no upstream received it, or when the client left after a wait of ours. The promise never rejects. */
export function measureUsage(intake: Intake, quote: Quote, delivery: Delivery): BilledUsage | Promise<BilledUsage> {
  const isFree = delivery.outcome === "gone" && (!delivery.wasSent || delivery.isOurWait);
  if (delivery.outcome === "failed" || isFree) return NO_USAGE;
  return intake.measure(delivery.report, {
    bodyBytes: delivery.upstream?.body.length ?? 0,
    unseenTokensMax: unseenTokensMax(quote, delivery),
    isAnswered: delivery.outcome === "answered",
  });
}

/** Only a model that thinks, or speaks, writes tokens that its text does not show. */
function unseenTokensMax({ limits, need, completionTokensMax }: Quote, { upstream }: Delivery): number {
  const canThink = limits.thinks !== "never" || (upstream !== null && mayThink(upstream.model));
  return canThink || need.prompt.writesAudio ? completionTokensMax : 0;
}
