import { isJsonObjectOrEmpty } from "./channel-draft";

/** The fields of a channel's setting that say what its upstream takes, as texts for the form. */
export type CostTexts = { factor: string; prices: string };

/** Null = the setting is no JSON object at the moment, so that nothing can be read from it or written into it. */
export function readCostTexts(setting: string): CostTexts | null {
  const json = parse(setting);
  if (!json) return null;
  const { cost_factor: factor, cost_prices: prices } = json;
  return {
    factor: factor === undefined || factor === null ? "" : String(factor),
    prices: prices === undefined || prices === null ? "" : typeof prices === "string" ? prices : pretty(prices),
  };
}

/** The setting with a factor; "" removes it. Text that is no number is kept, so that saving it is refused. */
export function withCostFactor(setting: string, text: string): string {
  const number = Number(text);
  return change(setting, "cost_factor", text.trim() === "" ? undefined : Number.isNaN(number) ? text : number);
}

/** The setting with prices by model; "" removes them. Text that is no JSON object is kept, so that saving it is refused. */
export function withCostPrices(setting: string, text: string): string {
  const isReadable = isJsonObjectOrEmpty(text);
  return change(setting, "cost_prices", text.trim() === "" ? undefined : isReadable ? JSON.parse(text) : text);
}

const pretty = (value: unknown): string => JSON.stringify(value, null, 2);

function change(setting: string, field: string, value: unknown): string {
  const { [field]: _, ...others } = parse(setting) ?? {};
  const next = value === undefined ? others : { ...others, [field]: value };
  return Object.keys(next).length === 0 ? "" : pretty(next);
}

function parse(setting: string): Record<string, unknown> | null {
  if (!isJsonObjectOrEmpty(setting)) return null;
  return setting.trim() === "" ? {} : (JSON.parse(setting) as Record<string, unknown>);
}
