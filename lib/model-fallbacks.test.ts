import { expect, test } from "vitest";
import { checkOptionText } from "@/lib/option/check";
import { parseOption } from "@/lib/option/registry";

const view = { control: "fallbackMap", choices: [] } as const;

test("fallback models are lists of one to five other names", () => {
  const text = '{"a":["b","c"],"b":["a"]}';
  expect(parseOption("ModelFallbacks", text)).toEqual({ a: ["b", "c"], b: ["a"] });
  expect(checkOptionText(view, text)).toBeNull();
});

test.each([
  '{"a":["a"]}',
  '{"a":["b","b"]}',
  '{"a":[]}',
  '{"a":["b","c","d","e","f","g"]}',
  '{"a":"b"}',
  '{"a":[1]}',
  '{"":["b"]}',
  '["a"]',
  "null",
])("%s is refused, by the server and in the browser", (text) => {
  expect(() => parseOption("ModelFallbacks", text)).toThrow();
  expect(checkOptionText(view, text)).toEqual({ reason: "fallbackMap" });
});
