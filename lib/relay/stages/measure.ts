import type { BilledUsage } from "@/lib/billing/types";
import type { Intake } from "../operations/operation";
import type { Delivery } from "./dispatch";

const NOTHING: BilledUsage = {
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  audioPromptTokens: 0,
  audioCompletionTokens: 0,
  estimated: false,
};

/** The usage of a request; zero when no upstream received it. The promise never rejects. */
export function measureUsage(intake: Intake, delivery: Delivery): BilledUsage | Promise<BilledUsage> {
  const neverAsked = delivery.outcome === "gone" && !delivery.wasSent;
  if (delivery.outcome === "failed" || neverAsked) return NOTHING;
  return intake.measure(delivery.report);
}
