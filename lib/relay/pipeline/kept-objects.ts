import { costedUsage } from "@/lib/billing/bound-usage";
import type { BilledUsage, UpstreamObject } from "@/lib/billing/types";
import type { Delivery, LostDelivery } from "../http/delivery";

/** Upstreams keep answers for 30 days. */
const LIFETIME_SECONDS = 30 * 86_400;

/**
 * What the upstream keeps of an answer that reached its end; undefined = nothing. `usage`: of the answer; a request that builds
 * on it reads as many tokens.
 */
export function keptObjects(
  delivery: Delivery | LostDelivery,
  channelId: number,
  usage: BilledUsage,
): UpstreamObject[] | undefined {
  const objects = (wholeReport(delivery) ?? backgroundReport(delivery))?.keptObjects?.();
  const { upstream } = delivery;
  if (!objects || objects.length === 0 || !upstream) return undefined;
  const account = { channelId, keyHash: upstream.secrets.keyHash(), lifetimeSeconds: LIFETIME_SECONDS };
  const { promptTokens, completionTokens, estimated } = costedUsage(usage);
  const tokens = promptTokens + completionTokens;
  // What was counted here may be less than it is.
  const known = tokens > 0 && !estimated ? { tokens } : {};
  return objects.map(({ kind, id }) => ({ kind, id, ...account, ...known }));
}

/** A client that left may know the id by the first event of its stream. */
function wholeReport(delivery: Delivery | LostDelivery) {
  if (delivery.outcome === "answered") return delivery.report;
  return delivery.outcome === "gone" && delivery.drained?.isWhole ? delivery.drained.report : null;
}

/** An answer in the background goes on after its stream was lost. */
function backgroundReport(delivery: Delivery | LostDelivery) {
  const report = "report" in delivery ? delivery.report : null;
  return report?.inBackground ? report : null;
}
