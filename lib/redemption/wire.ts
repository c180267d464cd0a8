import { z } from "zod";
import { idField } from "@/lib/http/id";
import type { Redemption } from "./types";

/** A redemption code in the /api format, for administrators. */
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

/** The fields a client may set. Clients send back whole rows; other fields are ignored. */
export const wireRedemptionSchema = z.object({
  id: idField.optional(),
  status: z.number().int().optional(),
  name: z.string("redemptionNameInvalid").optional(),
  quota: z.number("redemptionQuotaInvalid").optional(),
  count: z.number("redemptionCountInvalid").optional(),
});
