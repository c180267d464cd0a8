import type { Database } from "@/db/client";
import { redemptions, topUps } from "@/db/schema";

export type NewCode = {
  id: number;
  userId: number;
  key: string;
  status: number;
  name: string;
  quota: number;
  createdTime: number;
  redeemedTime: number;
  expiredTime: number;
  usedUserId: number;
};

export async function insertCodes(tx: Database, codes: readonly NewCode[]): Promise<void> {
  if (codes.length > 0) await tx.insert(redemptions).values([...codes]);
}

export type NewOrder = {
  userId: number;
  amount: number;
  money: number;
  tradeNo: string;
  paymentMethod: string;
  status: "success" | "expired";
  provider: "epay" | "stripe";
  quota: number;
  createTime: number;
  completeTime: number;
};

export async function insertOrders(tx: Database, orders: readonly NewOrder[]): Promise<void> {
  if (orders.length > 0) await tx.insert(topUps).values([...orders]);
}
