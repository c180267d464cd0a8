import { expect, test } from "vitest";
import { amountOf, filterChanges, isFree, percentOf, percentText } from "@/components/price-effect/change-list";
import type { PriceChange } from "@/lib/pricing/sync/compare-prices";

const change = (model: string, more: Partial<PriceChange> = {}): PriceChange => ({
  model,
  price: { kind: "call", call: 1 },
  isPartial: false,
  before: null,
  after: { kind: "call", call: 1 },
  isServed: false,
  ...more,
});
const old = { before: { kind: "call", call: 2 } } as const;

test("changes are found by name, by kind and by whether a channel has the model", () => {
  const changes = [change("GPT-4o", { ...old, isServed: true }), change("gpt-new"), change("claude", old)];
  const names = (filter: Partial<Parameters<typeof filterChanges>[1]>) =>
    filterChanges(changes, { search: "", kind: "all", onlyServed: false, ...filter }).map(({ model }) => model);
  expect(names({})).toEqual(["GPT-4o", "gpt-new", "claude"]);
  expect(names({ search: " gpt" })).toEqual(["GPT-4o", "gpt-new"]);
  expect(names({ kind: "new" })).toEqual(["gpt-new"]);
  expect(names({ kind: "changed", onlyServed: true })).toEqual(["GPT-4o"]);
});

test("percent are of the old price; from nothing or from 0 there are none", () => {
  expect([percentOf(2, 3), percentOf(3, 0), percentOf(0, 1), percentOf(null, 1), percentOf(1, null)]).toEqual([
    50,
    -100,
    null,
    null,
    null,
  ]);
  expect([percentText(12.345), percentText(-3), percentText(1234.5), percentText(0.00123)]).toEqual([
    "+12.3%",
    "-3%",
    "+1235%",
    "+0.0012%",
  ]);
});

test("a price per call is none per token; free is what costs nothing at all", () => {
  expect([amountOf({ kind: "call", call: 1 }, "input"), amountOf({ kind: "call", call: 1 }, "call")]).toEqual([
    null,
    1,
  ]);
  const tokens = (input: number, output: number) =>
    change("m", { after: { kind: "tokens", input, output, cached: 0, cacheWrite: 0 } });
  expect([isFree(tokens(0, 0)), isFree(tokens(1, 0)), isFree(change("m"))]).toEqual([true, false, false]);
});
