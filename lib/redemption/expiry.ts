import { nowSeconds } from "@/lib/clock";
import type { Redemption } from "./types";

/** Whether a code credits nothing any more because its time is over. */
export function isExpired({ expiredTime }: Pick<Redemption, "expiredTime">): boolean {
  return expiredTime !== 0 && expiredTime <= nowSeconds();
}
