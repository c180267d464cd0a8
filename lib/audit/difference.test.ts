import { expect, test } from "vitest";
import { diffTexts, diffValues } from "./difference";

test("objects are compared by key, nested ones by their path; lists are values", () => {
  const before = { name: "a", setting: { proxy: "x", deep: { on: true } }, groups: ["a"], same: 1 };
  const after = { name: "b", setting: { proxy: "x", deep: { on: false } }, groups: ["a", "b"], same: 1 };
  expect(diffValues(before, after)).toEqual({
    kind: "keys",
    more: 0,
    changes: [
      { key: "name", before: "a", after: "b" },
      { key: "setting.deep.on", before: "true", after: "false" },
      { key: "groups", before: '["a"]', after: '["a","b"]' },
    ],
  });
});

test("nothing on one side shows every key as added or removed", () => {
  expect(diffValues(null, { a: 1 })).toMatchObject({ changes: [{ key: "a", before: null, after: "1" }] });
  expect(diffValues({ a: 1 }, undefined)).toMatchObject({ changes: [{ key: "a", before: "1", after: null }] });
  expect(diffValues(null, null)).toMatchObject({ changes: [] });
});

test("a JSON object in text is compared by key, a JSON list by its indented lines", () => {
  expect(diffTexts('{"a":1}', '{"a":2}')).toMatchObject({ kind: "keys", changes: [{ before: "1", after: "2" }] });
  const { kind, lines } = diffTexts('[{"A":"x"}]', '[{"A":"y"}]') as { kind: string; lines: { sign: string }[] };
  expect([kind, lines.filter((line) => line.sign !== " ").length]).toEqual(["lines", 2]);
});

test("of long unchanged text only what is beside a change is kept", () => {
  const text = Array.from({ length: 50 }, (_, line) => `line ${line}`);
  const changed = text.with(25, "other");
  const difference = diffTexts(text.join("\n"), changed.join("\n"));
  const rows = difference.kind === "lines" ? difference.lines.map((line) => `${line.sign}${line.text}`) : [];
  expect(rows).toEqual([" …", " line 23", " line 24", "-line 25", "+other", " line 26", " line 27", " …"]);
});

test("what is too much is counted, not shown, and long values are cut", () => {
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`k${index}`, index]));
  const difference = diffValues({}, many);
  expect(difference).toMatchObject({ kind: "keys", more: 300 });
  const [change] = (diffValues({}, { a: "x".repeat(9_000) }) as { changes: { after: string }[] }).changes;
  expect(change?.after.length).toBe(501);
});
