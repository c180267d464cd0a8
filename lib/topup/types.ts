/** Status of an order. An expired one that is paid after all still credits: the money came. */
export const ORDER_STATUS = { pending: "pending", success: "success", expired: "expired" } as const;

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

/** How quota can be bought; null for a way that is not configured. Minimums are in the unit of amounts. */
export type TopUpOffer = {
  /** Where codes are sold; "" = nowhere. */
  link: string;
  epay: { minimum: number } | null;
  stripe: { minimum: number; currency: string } | null;
  /** The general minimum, also while nothing is configured. */
  minimum: number;
};

export type OrderState = { tradeNo: string; status: string; quota: number };

/** One line of a statement: a movement of the balance, or all that was used on one day (UTC). */
export type StatementLine = {
  /** Unique within a statement. */
  id: string;
  /** Unix seconds; the beginning of the day for consumption. */
  at: number;
  /** Added to the balance; negative when it was taken. */
  amount: number;
  /** A ledger kind, or "consumption". */
  kind: string;
  reference: string;
  note: string;
  /** Requests of that day; 0 for other kinds. */
  count: number;
  /** The balance after it; after the whole day for consumption. */
  balance: number;
};

/** What a statement adds up to: received − used = balance. */
export type StatementSums = { received: number; used: number; balance: number };
