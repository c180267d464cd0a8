import type { MediaRatios } from "@/lib/billing/media-prices";
import type { ModelFacts } from "@/lib/billing/model-facts";
import type { ChargeKind } from "@/lib/billing/types";
import type { MeterPrices } from "@/lib/meters";

/** A model on the price page. */
export type PricedModel = {
  modelName: string;
  /** True: a fixed price per call; false: by token ratios. */
  perCall: boolean;
  modelRatio: number;
  completionRatio: number;
  cacheRatio: number;
  /** Of sound and pictures, where they cost something else than text; absent = none does. */
  media?: MediaRatios;
  /** USD per call; 0 where tokens are priced. */
  modelPrice: number;
  /** USD per unit, by meter and variant; absent = nothing is charged by meters. */
  meterPrices?: MeterPrices;
  /** Tokens have no price. */
  metersOnly?: true;
  /** Groups in which an enabled channel has the model, limited to those the user may use. */
  groups: string[];
  /** Channel types that have the model, to show its vendor. */
  channelTypes: number[];
  /** With the operator's own maximum output, where there is one. */
  facts: ModelFacts;
};

export type PriceList = {
  models: PricedModel[];
  /** Ratio of each group the user may use. */
  groupRatio: Record<string, number>;
  /** Description of each group the user may use. */
  usableGroup: Record<string, string>;
  quotaPerUnit: number;
};

/** The charge of a request, item by item; amounts in quota. */
export type SimulatedCharge = {
  quota: number;
  groupRatio: number;
  lines: { kind: ChargeKind; variant?: string; quantity: number; unitPrice: number; amount: number }[];
};
