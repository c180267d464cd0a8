import { z } from "zod";
import { idField } from "@/lib/http/id";
import { named } from "@/lib/http/named-number";
import { REDEMPTION_STATUS } from "@/lib/row-status";
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
    expired_time: code.expiredTime,
    used_user_id: code.usedUserId,
    count: 0,
    DeletedAt: null,
  };
}

/** The fields a client may set. Clients send back whole rows; other fields are ignored. */
const fields = {
  name: z.string("redemptionNameInvalid").optional(),
  quota: z.number("redemptionQuotaInvalid").optional(),
  /** Unix seconds; 0 and -1 mean never. */
  expired_time: z.number("redemptionExpiryInvalid").optional(),
};

export const wireNewRedemptionSchema = z.object({ ...fields, count: z.number("redemptionCountInvalid").optional() });

/** Without `status_only` the status is only compared: it is changed alone. */
export const wireRedemptionSchema = z.object({
  ...fields,
  id: idField,
  status: named(REDEMPTION_STATUS, "redemptionStatusInvalid").optional(),
});
