import { describe, expect, test } from "vitest";
import { updateChannelSchema } from "@/lib/channel/schemas";
import { isCostSetting, readCostSetting } from "./cost-setting";

describe("what a channel's setting says of its costs", () => {
  test("nothing: the list price", () => {
    expect(readCostSetting({})).toEqual({ factor: 1, prices: {} });
    expect(readCostSetting({ cost_factor: null, cost_prices: null })).toEqual({ factor: 1, prices: {} });
  });

  test("a factor, 0 included, and prices by model", () => {
    expect(readCostSetting({ cost_factor: 0 }).factor).toBe(0);
    const cost_prices = { a: { input: 2.5, output: 10, cached: 1.25 }, b: { per_call: 0.04 } };
    expect(readCostSetting({ cost_prices })).toEqual({ factor: 1, prices: cost_prices });
  });

  test.each([
    { cost_factor: -1 },
    { cost_factor: "0.6" },
    { cost_factor: 1e9 },
    { cost_factor: Number.NaN },
    { cost_prices: { a: { input: -1 } } },
    { cost_prices: { a: { inptu: 1 } } },
    { cost_prices: { a: { output: 1 } } },
    { cost_prices: { a: {} } },
    { cost_prices: { a: 5 } },
    { cost_prices: [] },
  ])("%j is refused, and where it is stored already the cost is not known", (json) => {
    expect(isCostSetting(json)).toBe(false);
    const saved = updateChannelSchema.safeParse({ id: 1, setting: JSON.stringify(json).replace("null", '"NaN"') });
    expect(saved.error?.issues).toMatchObject([{ message: "channelCostInvalid" }]);
    expect(readCostSetting(json)).toEqual({ factor: null, prices: {} });
  });
});
