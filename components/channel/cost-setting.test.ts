import { expect, test } from "vitest";
import { readCostTexts, withCostFactor, withCostPrices } from "./cost-setting";

test("factor and prices are read from the setting and written into it; what else is in it stays", () => {
  const setting = '{"force_format":true,"cost_factor":0.6,"cost_prices":{"m":{"input":1}}}';
  expect(readCostTexts(setting)).toMatchObject({ factor: "0.6" });
  expect(JSON.parse(readCostTexts(setting)?.prices ?? "")).toEqual({ m: { input: 1 } });
  expect(JSON.parse(withCostFactor(setting, "0"))).toMatchObject({ force_format: true, cost_factor: 0 });
  expect(JSON.parse(withCostFactor(withCostPrices(setting, ""), ""))).toEqual({ force_format: true });
  expect(withCostFactor('{"cost_factor":1}', "")).toBe("");
  expect(JSON.parse(withCostPrices("", '{"m":{"per_call":0.1}}'))).toEqual({ cost_prices: { m: { per_call: 0.1 } } });
});

test("a factor that is no number, or prices that are no JSON, are kept as they are: saving them is refused", () => {
  expect(JSON.parse(withCostFactor("", "0,6"))).toEqual({ cost_factor: "0,6" });
  expect(JSON.parse(withCostPrices("", '{"m":'))).toEqual({ cost_prices: '{"m":' });
  expect(readCostTexts(withCostPrices("", '{"m":'))?.prices).toBe('{"m":');
});

test("a setting that is being typed and is no JSON yet is left alone", () => {
  expect(readCostTexts("{")).toBeNull();
});
