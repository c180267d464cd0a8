import { randomUUID } from "node:crypto";
import { toQuota } from "@/lib/billing/quota";
import { type CostSum, NO_COST, type Refusal, type Reservation, type Settlement } from "@/lib/billing/types";

/** A settlement of a finished request; fields not given have default values. */
export function settlementOf(
  given: Partial<Omit<Settlement, "quota">> & { userId: number; quota: number },
): Settlement {
  return {
    requestId: randomUUID(),
    createdAt: Math.floor(Date.now() / 1000),
    type: 2,
    username: "test",
    tokenId: 0,
    tokenName: "",
    channelId: 0,
    modelName: "gpt-4o",
    group: "default",
    usage: {
      promptTokens: 3,
      completionTokens: 4,
      cachedTokens: 0,
      cacheWriteTokens: 0,
      audioPromptTokens: 0,
      audioCompletionTokens: 0,
      estimated: false,
    },
    cost: NO_COST,
    useTimeMs: 5,
    firstTokenMs: null,
    isStream: false,
    reservation: null,
    content: "",
    other: { model_ratio: 1 },
    clientIp: "127.0.0.1",
    hidden: false,
    ...given,
    quota: toQuota(given.quota),
  };
}

export function isReservation(outcome: Reservation | Refusal): outcome is Reservation {
  return !("refused" in outcome);
}

/** What upstreams took: `quota` of which `unbilled` was charged to nobody, and `unknown` attempts whose cost is not known. */
export function costOf(quota: number | null, unbilled = 0, unknown = 0): CostSum {
  return { quota: quota === null ? null : toQuota(quota), unbilled: toQuota(unbilled), unknown };
}
