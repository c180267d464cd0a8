import { isExpired, type Redemption } from "@/lib/redemption/types";

/** A code without its key: the list has only a hint, the key is fetched on demand. */
export type RedemptionRow = Omit<Redemption, "key" | "userId"> & { hint: string; isExpired: boolean };

export function toRedemptionRow(code: Redemption): RedemptionRow {
  const { id, status, name, quota, createdTime, redeemedTime, expiredTime, usedUserId, key } = code;
  return {
    id,
    status,
    name,
    quota,
    createdTime,
    redeemedTime,
    expiredTime,
    isExpired: isExpired(code),
    usedUserId,
    hint: `${key.slice(0, 4)}…${key.slice(-4)}`,
  };
}
