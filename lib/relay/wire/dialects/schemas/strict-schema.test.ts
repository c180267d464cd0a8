import { expect, test } from "vitest";
import { isStrictSchema } from "./strict-schema";

const text = { type: "string" };
const closed = { type: "object", properties: { a: text }, required: ["a"], additionalProperties: false };
const within = (inner: object) => ({ ...closed, properties: { a: inner } });

test.each([
  ["all properties are required, and there are no others", closed, true],
  ["one is not required", { ...closed, required: [] }, false],
  ["there may be others", { ...closed, additionalProperties: true }, false],
  ["the root is no object", { type: "array", items: closed }, false],
  ["the root has no type", {}, false],
  ["a list has such objects", within({ type: "array", items: closed }), true],
  ["a list has open ones", within({ type: "array", items: { type: "object" } }), false],
  ["a choice has such objects", within({ anyOf: [closed, { type: "null" }] }), true],
  ["a choice has open ones", within({ anyOf: [{ type: ["object", "null"] }] }), false],
  ["a definition is open", { ...closed, $defs: { b: { type: "object" } } }, false],
  ["it has words that OpenAI does not take", within({ allOf: [closed] }), false],
])("a schema is strict or not: %s", (_name, schema, isStrict) => {
  expect(isStrictSchema(schema)).toBe(isStrict);
});

test("a schema without an end is not strict", () => {
  const endless: Record<string, unknown> = { ...closed };
  endless.items = endless;
  expect(isStrictSchema(endless)).toBe(false);
});
