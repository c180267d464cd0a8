import fc from "fast-check";
import { expect, test } from "vitest";
import { findLastObject, parseJsonObject } from "./json-text";

test("the last object under a key is found, whatever is around it", () => {
  const text = '{"a":{"x":1},"t":"\\"a\\":{","a" : {"x":"}\\\\","y":{"z":[{}]}},"b":{"a":null}}';
  expect(findLastObject(text, '"a"')).toEqual({ x: "}\\", y: { z: [{}] } });
  expect(findLastObject(text, '"c"')).toBeNull();
  expect(findLastObject('{"a":{"x":1', '"a"')).toBeNull();
  expect(findLastObject('{"a":{"x', '"a"')).toBeNull();
});

test("any object is found under its key", () => {
  const value = fc.dictionary(fc.string(), fc.jsonValue());
  fc.assert(
    fc.property(value, fc.string(), (object, before) => {
      const text = JSON.stringify({ before, object, z: 1 });
      fc.pre(!JSON.stringify(object).includes('"object"'));
      expect(JSON.stringify(findLastObject(text, '"object"'))).toBe(JSON.stringify(object));
    }),
  );
});

test("only an object is one", () => {
  expect(parseJsonObject('{"a":1}')).toEqual({ a: 1 });
  for (const text of ["[1]", "null", "1", '"x"', "oops", ""]) expect(parseJsonObject(text)).toBeNull();
});
