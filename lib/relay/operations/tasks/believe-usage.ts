import { type MeterUsage, quantityOf } from "@/lib/meters";

/** An upstream may make more than was asked for, but not any amount of it. */
const TIMES_MAX = 2;
/** As long as any video that a maker makes where it chooses the length itself. */
const SECONDS_ALWAYS = 30;

/**
 * Whether a task can have used what its upstream reports, after it was charged for `asked`. Nothing at all is not used by a
 * task that succeeded; a meter that was not asked for is believed.
 */
export function isUsagePossible(reported: readonly MeterUsage[], asked: readonly MeterUsage[]): boolean {
  if (!reported.every((usage) => quantityOf(usage) > 0)) return false;
  return reported.every(({ meter }) => {
    const most = TIMES_MAX * sumOf(asked, meter);
    return most === 0 || sumOf(reported, meter) <= Math.max(most, meter === "second" ? SECONDS_ALWAYS : 0);
  });
}

function sumOf(usage: readonly MeterUsage[], of: MeterUsage["meter"]): number {
  return usage.reduce((sum, { meter, quantity }) => (meter === of ? sum + quantity : sum), 0);
}
