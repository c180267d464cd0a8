import { createLoader } from "nuqs/server";
import { expect, test } from "vitest";
import { NAMED_MODELS_MAX, priceListPath } from "@/lib/pricing/price-list-path";
import { priceListParams } from "./price-list-search";

const read = (path: string) => createLoader(priceListParams)(new URL(path, "http://x"));

test("a link to the price list names its models, whatever they are called, and no more than an address can hold", () => {
  const models = ["gpt-4o", "a/b:free +&=#% 1", "模型", "?models=x"];
  expect(read(priceListPath(models)).models).toEqual(models);
  const many = Array.from({ length: 2_000 }, (_, i) => `m${i}`);
  expect(read(priceListPath(many)).models).toEqual(many.slice(0, NAMED_MODELS_MAX));
});
