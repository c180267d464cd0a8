import type { ChargeKind } from "@/lib/billing/types";

/** A model on the price page. */
export type PricedModel = {
  modelName: string;
  /** True: a fixed price per call; false: by token ratios. */
  perCall: boolean;
  modelRatio: number;
  completionRatio: number;
  cacheRatio: number;
  /** USD per call; 0 where tokens are priced. */
  modelPrice: number;
  /** Groups in which an enabled channel serves the model, as far as the reader may use them. */
  groups: string[];
  /** Channel types that serve it, for showing whose model it is. */
  channelTypes: number[];
};

export type PriceList = {
  models: PricedModel[];
  /** Ratio of each group that the reader may use. */
  groupRatio: Record<string, number>;
  /** Description of each group that the reader may use. */
  usableGroup: Record<string, string>;
  quotaPerUnit: number;
};

/** What a request would be charged, line by line; amounts are quota. */
export type SimulatedCharge = {
  quota: number;
  groupRatio: number;
  lines: { kind: ChargeKind; quantity: number; unitPrice: number; amount: number }[];
};
