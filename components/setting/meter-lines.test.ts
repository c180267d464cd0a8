import { expect, test } from "vitest";
import { checkMeterLines, toMeterLines, toMeterPrices } from "./meter-lines";

test("prices become lines and the same prices again, however small", () => {
  const prices = { character: 0.000015, picture: 0, "picture:1024x1024:hd": 0.08, second: 0.0000111111 };
  const lines = toMeterLines(prices);
  expect(lines.map(({ usd }) => usd)).toEqual(["0.000015", "0", "0.08", "0.0000111111"]);
  expect([checkMeterLines(lines), toMeterPrices(lines)]).toEqual([true, prices]);
});

test("a line without a number, one that is there twice, and a variant with blanks are not taken", () => {
  const line = { id: 0, meter: "picture", variant: "", usd: "1" } as const;
  const bad = [
    [{ ...line, usd: "" }],
    [{ ...line, usd: "-1" }],
    [line, { ...line, id: 1 }],
    [{ ...line, variant: "a b" }],
  ];
  expect(bad.map(checkMeterLines)).toEqual([false, false, false, false]);
  expect(checkMeterLines([line, { ...line, id: 1, variant: " big " }])).toBe(true);
});
