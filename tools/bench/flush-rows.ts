import { randomBytes } from "node:crypto";
import { toQuota } from "@/lib/billing/quota";
import { encodeSettlement, type SettlementRow } from "@/lib/billing/settlement-row";
import { NO_USAGE } from "@/lib/billing/types";
import { nowSeconds } from "@/lib/clock";
import { LOG_TYPE } from "@/lib/row-status";

/** Settlements as the gateway writes them for a whole answer of a model priced by tokens, of any of so many users. */
export function settlementRows(size: number, users: number, { firstUser = 1, channelId = 1 } = {}): SettlementRow[] {
  return Array.from({ length: size }, () => {
    const userId = firstUser + Math.floor(Math.random() * users);
    const quota = toQuota(40);
    return encodeSettlement({
      requestId: timeOrderedId(),
      createdAt: nowSeconds(),
      type: LOG_TYPE.consume,
      userId,
      username: `user ${userId}`,
      tokenId: userId,
      tokenName: "token",
      channelId,
      modelName: "bench-model",
      group: "default",
      usage: { ...NO_USAGE, promptTokens: 10, completionTokens: 10 },
      quota,
      cost: { quota, unbilled: toQuota(0), unknown: 0 },
      useTimeMs: 12,
      firstTokenMs: null,
      isStream: false,
      reservation: { userId, tokenId: null, amount: 40 },
      content: "",
      other: OTHER,
      clientIp: "127.0.0.1",
      hidden: false,
    });
  });
}

const OTHER = {
  model_ratio: 1,
  group_ratio: 1,
  completion_ratio: 3,
  cache_tokens: 0,
  cache_ratio: 1,
  model_price: -1,
  quota_per_unit: 500_000,
  frt: -1000,
  lines: [
    { kind: "prompt", quantity: 10, unitPrice: 1, amount: 10 },
    { kind: "completion", quantity: 10, unitPrice: 3, amount: 30 },
  ],
  admin_info: { use_channel: ["1"] },
};

/** A UUID of version 7, as requests get. */
function timeOrderedId(): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(Date.now(), 0, 6);
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
