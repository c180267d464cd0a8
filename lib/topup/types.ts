/** Status of an order. An expired one that is paid after all still credits: the money came. */
export const ORDER_STATUS = { pending: "pending", success: "success", expired: "expired" } as const;
export type OrderStatus = (typeof ORDER_STATUS)[keyof typeof ORDER_STATUS];

export type PaymentProvider = "epay" | "stripe";

/** A purchase as its owner and administrators see it. */
export type TopUp = {
  id: number;
  userId: number;
  username: string;
  /** As asked for: USD units, or quota where prices show in quota. */
  amount: number;
  /** Payable in `currency`, two decimals. */
  money: number;
  currency: string;
  quota: number;
  tradeNo: string;
  provider: string;
  paymentMethod: string;
  status: string;
  createTime: number;
  completeTime: number;
};

/** What a payment provider called, and what was made of it. */
export type PaymentCallback = {
  id: number;
  provider: string;
  tradeNo: string;
  payload: Record<string, unknown>;
  outcome: string;
  reason: string;
  attempts: number;
  clientIp: string;
  createdAt: number;
  handledAt: number | null;
};
