import { type BilledUsage, NO_USAGE } from "@/lib/billing/types";
import type { Intake } from "../operations/operation";
import type { Delivery } from "./dispatch";

/** The usage of a request; zero when no upstream received it. The promise never rejects. */
export function measureUsage(intake: Intake, delivery: Delivery): BilledUsage | Promise<BilledUsage> {
  const neverAsked = delivery.outcome === "gone" && !delivery.wasSent;
  if (delivery.outcome === "failed" || neverAsked) return NO_USAGE;
  return intake.measure(delivery.report);
}
