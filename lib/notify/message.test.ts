import { expect, test } from "vitest";
import { renderEvent } from "./message";

const site = { DisplayInCurrencyEnabled: true, QuotaPerUnit: 500_000, CurrencySymbol: "$" };
const low = (balance: number, options: typeof site) =>
  renderEvent("balance_low", { balance, threshold: 500_000 }, "en", options).values;

test("messages speak money with the site's own symbol and unit (T3)", () => {
  expect(low(250_000, site)).toEqual(["$0.50", "$1.00"]);
  expect(low(-250_000, { ...site, CurrencySymbol: "€" })).toEqual(["-€0.50", "€1.00"]);
  expect(low(100, site)[0]).toBe("$0.000200");
  expect(low(250_000, { ...site, QuotaPerUnit: 1_000_000 })).toEqual(["$0.25", "$0.50"]);
  expect(low(250_000, { ...site, DisplayInCurrencyEnabled: false })).toEqual(["250000", "500000"]);
});
