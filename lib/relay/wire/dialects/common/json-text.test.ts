import { expect, test } from "vitest";
import { parseJsonObject } from "./json-text";

test("only an object is one", () => {
  expect(parseJsonObject('{"a":1}')).toEqual({ a: 1 });
  for (const text of ["[1]", "null", "1", '"x"', "oops", ""]) expect(parseJsonObject(text)).toBeNull();
});
