import { z } from "zod";
import type { Redemption } from "./types";

/** A redemption code as /api shows it to administrators. */
export function toWireRedemption(code: Redemption) {
  return {
    id: code.id,
    user_id: code.userId,
    key: code.key,
    status: code.status,
    name: code.name,
    quota: code.quota,
    created_time: code.createdTime,
    redeemed_time: code.redeemedTime,
    used_user_id: code.usedUserId,
    count: 0,
    DeletedAt: null,
  };
}

/** What a client may say of a code. Whole rows come back; what is not named here is not read. */
export const wireRedemptionSchema = z.object({
  id: z.number().int().optional(),
  status: z.number().int().optional(),
  name: z.string("redemptionNameInvalid").optional(),
  quota: z.number("redemptionQuotaInvalid").optional(),
  count: z.number("redemptionCountInvalid").optional(),
});
