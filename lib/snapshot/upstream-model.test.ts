import { expect, test } from "vitest";
import { mapModel } from "./upstream-model";

test.each([
  ["nothing mapped", {}, "a"],
  ["one step", { a: "b" }, "b"],
  ["a chain", { a: "b", b: "c" }, "c"],
  ["a name mapped to itself ends the chain", { a: "b", b: "b" }, "b"],
  ["a circle", { a: "b", b: "a" }, null],
  ["a circle further on", { a: "b", b: "c", c: "b" }, null],
])("model mapping: %s", (_name, mapping, expected) => {
  expect(mapModel("a", new Map(Object.entries(mapping)))).toBe(expected);
});
