import { expect, test } from "vitest";
import { diffTexts, diffValues } from "@/lib/audit/difference";
import { definitionOf, optionKeys } from "@/lib/option/registry";
import { AMOUNT_OPTIONS, withMoney } from "./amounts";

const display = { inCurrency: true, quotaPerUnit: 500_000, symbol: "$" };

test("the audit log speaks money: a balance went from 2 to 12, not from 1000000 to 6000000 (T3)", () => {
  const given = diffValues({ quota: 1_000_000, group: "7" }, { quota: 6_000_000, group: "8" });
  expect(withMoney(given, "user:7", display)).toMatchObject({
    changes: [
      { key: "quota", before: "$2.00", after: "$12.00" },
      { key: "group", before: "7", after: "8" },
    ],
  });
  expect(withMoney(given, "user:7", { ...display, inCurrency: false })).toEqual(given);
});

test("the history of an option that is an amount speaks money, that of others does not", () => {
  const given = diffTexts("0", "250000");
  expect(withMoney(given, "option:QuotaForNewUser", display)).toMatchObject({
    lines: [
      { sign: "-", text: "$0.00" },
      { sign: "+", text: "$0.50" },
    ],
  });
  expect(withMoney(given, "option:PreConsumedQuota", display)).toEqual(given);
});

test("the options that are amounts are those of the registry", () => {
  const amounts = optionKeys().filter((key) => definitionOf(key).unit === "quota");
  expect(amounts.toSorted()).toEqual(AMOUNT_OPTIONS.toSorted());
});
