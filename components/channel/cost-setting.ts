import { isJsonObjectOrEmpty } from "./channel-draft";
import { changeSetting, parseSetting, prettyJson } from "./setting-json";

/** The fields of a channel's setting that say what its upstream takes, as texts for the form. */
export type CostTexts = { factor: string; prices: string };

/** Null = the setting is no JSON object at the moment, so that nothing can be read from it or written into it. */
export function readCostTexts(setting: string): CostTexts | null {
  const json = parseSetting(setting);
  if (!json) return null;
  const { cost_factor: factor, cost_prices: prices } = json;
  return {
    factor: factor === undefined || factor === null ? "" : String(factor),
    prices: prices === undefined || prices === null ? "" : typeof prices === "string" ? prices : prettyJson(prices),
  };
}

/** The setting with a factor; "" removes it. Text that is no number is kept, so that saving it is refused. */
export function withCostFactor(setting: string, text: string): string {
  const number = Number(text);
  return changeSetting(setting, "cost_factor", text.trim() === "" ? undefined : Number.isNaN(number) ? text : number);
}

/** The setting with prices by model; "" removes them. Text that is no JSON object is kept, so that saving it is refused. */
export function withCostPrices(setting: string, text: string): string {
  const isReadable = isJsonObjectOrEmpty(text);
  return changeSetting(setting, "cost_prices", text.trim() === "" ? undefined : isReadable ? JSON.parse(text) : text);
}
