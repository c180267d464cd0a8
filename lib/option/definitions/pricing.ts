import { DEAR_OPTIONS } from "../dear-options";
import { linesOf, meterMap, number, type OptionDefinition, ratioMap, textMap } from "../definition";

const GROUPS = JSON.stringify({ default: 1, vip: 1, svip: 1 });

const OF_PRICES = { delicate: false, running: "new", effect: "relay", card: "pricing" } as const;

/**
 * Groups and prices (contract §3.2, §8). The model maps hold only what the operator set; other models take the built-in
 * prices of lib/billing/built-in-terms.ts, so an operator's entry always takes precedence.
 */
export const pricingOptions = {
  GroupRatio: { schema: ratioMap, default: GROUPS, delicate: false, running: "new", effect: "relay", card: "groups" },
  TopupGroupRatio: {
    schema: ratioMap,
    default: GROUPS,
    delicate: false,
    running: "none",
    card: "payment",
    requires: "ServerAddress",
  },
  UserUsableGroups: {
    schema: textMap,
    default: JSON.stringify({ default: "默认分组", vip: "vip分组" }),
    delicate: false,
    running: "new",
    effect: "relay",
    card: "groups",
  },
  ModelRatio: { schema: ratioMap, default: "{}", ...OF_PRICES },
  CompletionRatio: {
    schema: ratioMap,
    default: "{}",
    ...OF_PRICES,
  },
  ModelPrice: { schema: ratioMap, default: "{}", ...OF_PRICES },
  /** Model → USD per second, character, picture, page, search or request, also by variant (lib/meters.ts). */
  ModelMeterPrices: {
    schema: meterMap,
    default: "{}",
    ...OF_PRICES,
  },
  CacheRatio: { schema: ratioMap, default: "{}", ...OF_PRICES },
  CreateCacheRatio: {
    schema: ratioMap,
    default: "{}",
    ...OF_PRICES,
  },
  /** Of sound and of pictures in prompts, where the operator knows better than lib/billing/media-prices.ts. */
  AudioRatio: { schema: ratioMap, default: "{}", ...OF_PRICES },
  AudioCompletionRatio: { schema: ratioMap, default: "{}", ...OF_PRICES },
  AudioCacheRatio: { schema: ratioMap, default: "{}", ...OF_PRICES },
  ImageRatio: { schema: ratioMap, default: "{}", ...OF_PRICES },
  ImageCacheRatio: { schema: ratioMap, default: "{}", ...OF_PRICES },
  /** The most tokens an answer can have, where the operator knows better than lib/billing/model-limits.ts. */
  ModelMaxOutput: {
    schema: ratioMap,
    default: "{}",
    ...OF_PRICES,
  },
  DefaultMaxOutput: {
    schema: number({ min: 1, max: 10_000_000, integer: true }),
    default: "16384",
    ...OF_PRICES,
    unit: "tokens",
  },
  /** What requests in batches cost, times their usual price. */
  BatchPriceRatio: {
    schema: number({ min: 0, max: 100 }),
    default: "0.5",
    ...OF_PRICES,
    unit: "times",
  },
  /** Options of requests that are passed on although upstreams charge more for them (docs/request-options.md). */
  AllowedRequestOptions: {
    schema: linesOf(DEAR_OPTIONS),
    default: "",
    ...OF_PRICES,
  },
} as const satisfies Record<string, OptionDefinition>;
