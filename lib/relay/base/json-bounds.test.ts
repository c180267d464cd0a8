import fc from "fast-check";
import { expect, test } from "vitest";
import { measureJson } from "./json-bounds";

function countOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  const items = Object.values(value).map(countOf);
  return 1 + items.reduce((sum, count) => sum + count, 0);
}

const measure = (text: string) => measureJson(Buffer.from(text));

test("the count is never below the number of values, and not twice as large", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      const bounds = measure(JSON.stringify(value));
      if (!("values" in bounds)) throw new Error("small JSON was refused");
      expect(bounds.values).toBeGreaterThanOrEqual(countOf(value));
      expect(bounds.values).toBeLessThanOrEqual(2 * countOf(value));
    }),
  );
});

test("what stands in texts does not count, however it is escaped", () => {
  const marks = '{[,:"\\\\]}\u0000';
  for (let length = 0; length < 80; length++) {
    const text = `${"x".repeat(length)}${marks.repeat(length)}`;
    expect(measure(JSON.stringify([text, { [text]: text }]))).toEqual({ values: 4 });
  }
});

test("depth is counted down again", () => {
  expect(measure(`[${"[[]],".repeat(1_000)}1]`)).toHaveProperty("values");
  expect(measure("[".repeat(128) + "]".repeat(128))).toEqual({ values: 129 });
  expect(measure("[".repeat(129) + "]".repeat(129))).toEqual({ exceeds: "depth" });
  expect(measure(`[${"1,".repeat(250_000)}1]`)).toEqual({ exceeds: "values" });
});

test("text that is not JSON, or is cut, is read to its end", () => {
  for (const text of ["", '"', '"\\', '{"a":"\\', "]]]]", "\\\\\\"]) expect(measure(text)).toHaveProperty("values");
});
