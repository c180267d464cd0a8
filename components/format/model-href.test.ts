import { expect, test } from "vitest";
import { modelHref, modelOfPath } from "./model-href";

test.each(["gpt-4o", "openai/gpt-4o", "@cf/meta/llama-3-8b", "a b?c#d%", "模型:beta"])(
  "the page of %s has an address that leads back to its name",
  (model) => {
    const href = modelHref(model);
    expect(new URL(href, "http://weir.example").pathname).toBe(href);
    expect(modelOfPath(href.split("/").slice(2))).toBe(model);
  },
);

test("a path that is no text is no model", () => {
  expect(modelOfPath(["%E0%A4%A"])).toBeNull();
});
