/** Status of an order. A late payment of an expired order is still credited. */
export const ORDER_STATUS = { pending: "pending", success: "success", expired: "expired" } as const;

export type PaymentProvider = "epay" | "stripe";

/** The result of a provider's report. */
export type Credit = { outcome: "credited" | "ignored" | "refused"; reason: string };

/** What a provider says about a refund or dispute. */
export type ReversalReport = {
  /** The provider's id of the refund or dispute; of the charge for the sum of its refunds. */
  reversalId: string;
  kind: "refund" | "charge" | "dispute";
  cents: number;
  currency: string;
  /** void: takes nothing back. An open one may still change. */
  state: "open" | "final" | "void";
};

/** A purchase as its owner and administrators see it. */
export type TopUp = {
  id: number;
  userId: number;
  username: string;
  /** As ordered: units of the currency, or quota where prices are shown in quota. */
  amount: number;
  /** The price in `currency`, two decimals. */
  money: number;
  currency: string;
  quota: number;
  /** What refunds and disputes have taken back of the price, two decimals. */
  refunded: number;
  tradeNo: string;
  provider: string;
  paymentMethod: string;
  status: string;
  createTime: number;
  completeTime: number;
};

/** A callback of a payment provider, and its result. */
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

/** The ways to buy quota; null for one that is not configured. Minimums are in the unit of amounts. */
export type TopUpOffer = {
  /** A shop for redemption codes; "" = none. */
  link: string;
  epay: { minimum: number } | null;
  stripe: { minimum: number; currency: string } | null;
  /** The general minimum, also while nothing is configured. */
  minimum: number;
};

export type OrderState = { tradeNo: string; status: string; quota: number };

/** One line of a statement: a balance change, or the consumption of one day (UTC). */
export type StatementLine = {
  /** Unique within a statement. */
  id: string;
  /** Unix seconds; the beginning of the day for consumption. */
  at: number;
  /** Change of the balance; negative for a deduction. */
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

/** Totals of a statement: received − used = balance. */
export type StatementSums = { received: number; used: number; balance: number };
