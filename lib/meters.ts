/** Units that providers charge for beside tokens. "search" is a search unit of a rerank model, "page" one of a document. */
export const METERS = ["second", "character", "picture", "page", "search", "request"] as const;
export type Meter = (typeof METERS)[number];

/** `quantity`: whole or decimal, as the provider counts. `variant`: parts from the most to the least important, e.g. "1024x1024:hd". */
export type MeterUsage = { meter: Meter; quantity: number; variant?: string };

/** `meter` or `meter:variant` → USD per unit. */
export type MeterPrices = Readonly<Record<string, number>>;

/** More than any request can have; keeps a charge within its bounds. */
const QUANTITY_MAX = 2 ** 31 - 1;

const KEY = /^([a-z]+)(:[^:\s]+)*$/;
const KEY_MAX = 80;

export function meterKey({ meter, variant }: Pick<MeterUsage, "meter" | "variant">): string {
  return variant ? `${meter}:${variant}` : meter;
}

/** Whether a text can be a key of prices: a meter, and maybe the parts of a variant, without blanks. */
export function isMeterKey(key: string): boolean {
  const [, meter] = KEY.exec(key) ?? [];
  return key.length <= KEY_MAX && METERS.some((known) => known === meter);
}

/** The meter and the variant of a key of prices. */
export function splitMeterKey(key: string): { meter: Meter; variant: string } | null {
  if (!isMeterKey(key)) return null;
  const at = key.indexOf(":");
  return at === -1
    ? { meter: key as Meter, variant: "" }
    : { meter: key.slice(0, at) as Meter, variant: key.slice(at + 1) };
}

const USD_MAX = 1_000_000;
/** A charge has twelve decimal places of a dollar: a price below would lose its digits, and at last be nothing. */
const USD_MIN = 1e-10;
const MODEL_MAX = 255;

/** Whether a value can be the prices of models: model → key → USD per unit. */
export function isModelMeterPrices(value: unknown): boolean {
  return isMap(value, (model, prices) => model !== "" && model.length <= MODEL_MAX && isMeterPrices(prices));
}

/** Whether a value can be the prices of a model. */
export function isMeterPrices(value: unknown): value is MeterPrices {
  return isMap(value, (key, usd) => isMeterKey(key) && isMeterPrice(usd));
}

function isMeterPrice(usd: unknown): boolean {
  return usd === 0 || (typeof usd === "number" && usd >= USD_MIN && usd <= USD_MAX);
}

function isMap(value: unknown, fits: (key: string, inner: unknown) => boolean): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every(([key, inner]) => fits(key, inner));
}

/** Invalid quantities are 0. */
export function quantityOf({ quantity }: Pick<MeterUsage, "quantity">): number {
  return Number.isFinite(quantity) && quantity > 0 ? Math.min(quantity, QUANTITY_MAX) : 0;
}

/** The price of a key, else that of its longest beginning that has one: "picture:1024x1024:hd", "picture:1024x1024", "picture". */
export function meterPrice(prices: MeterPrices, usage: Pick<MeterUsage, "meter" | "variant">): number | undefined {
  let key = meterKey(usage);
  while (!Object.hasOwn(prices, key)) {
    const at = key.lastIndexOf(":");
    if (at === -1) return undefined;
    key = key.slice(0, at);
  }
  return prices[key];
}

/** The highest price that the meter can have where the variant leaves something open; undefined = it has none. */
export function meterPriceMost(prices: MeterPrices, usage: Pick<MeterUsage, "meter" | "variant">): number | undefined {
  const start = `${meterKey(usage)}:`;
  let most = meterPrice(prices, usage);
  for (const [key, price] of Object.entries(prices)) {
    if (key.startsWith(start) && (most === undefined || price > most)) most = price;
  }
  return most;
}

/**
 * The price of what was used. A variant that the list does not know, such as a size that the upstream chose itself, costs
 * as much as the dearest one: nothing that was used is free because of its name.
 */
export function meterPriceUsed(prices: MeterPrices, usage: Pick<MeterUsage, "meter" | "variant">): number | undefined {
  return meterPrice(prices, usage) ?? meterPriceMost(prices, { meter: usage.meter });
}

/** The most that a meter of a request can cost: `meterPriceUsed` for whichever variant the upstream reports; undefined = it has no price. */
export function meterPriceBound(prices: MeterPrices, usage: Pick<MeterUsage, "meter" | "variant">): number | undefined {
  const used = meterPriceUsed(prices, usage);
  return used === undefined ? undefined : Math.max(used, meterPriceMost(prices, usage) ?? used);
}
