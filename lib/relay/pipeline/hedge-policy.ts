import type { OptionValues } from "@/lib/option/registry";
import { HedgeShare } from "../routing/plan/hedge-share";
import { UsualTimes } from "../routing/plan/usual-times";

/** What this process knows for the decision to ask a second channel. */
export type HedgePolicy = {
  times: UsualTimes;
  share: HedgeShare;
  /** How many of a hundred requests may be hedged. */
  percent: number;
  /** No request is hedged earlier, however fast its channel usually is. */
  leastMs: number;
};

type HedgeOptions = Pick<OptionValues, "HedgeSlowRequests" | "HedgeMaxShare" | "HedgeLeastSeconds">;

/** Null = the options have it disabled. */
export type HedgePolicyBy = (options: HedgeOptions) => HedgePolicy | null;

/** Once in a process. */
export function createHedgePolicy(): HedgePolicyBy {
  const times = new UsualTimes();
  const share = new HedgeShare();
  return ({ HedgeSlowRequests, HedgeMaxShare: percent, HedgeLeastSeconds }) =>
    HedgeSlowRequests ? { times, share, percent, leastMs: HedgeLeastSeconds * 1_000 } : null;
}
