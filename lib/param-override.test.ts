import { expect, test } from "vitest";
import { overrideParameters } from "./param-override";

const body = {
  model: "m",
  temperature: 1,
  messages: [
    { role: "system", content: "  Be brief " },
    { role: "user", content: "hi" },
  ],
  metadata: { a: 1 },
};
const change = (...operations: object[]) => overrideParameters(body, {}, { operations });

test("without operations every key replaces the body's own", () => {
  expect(overrideParameters(body, { model: "n" }, { temperature: 0, top_k: 5 })).toEqual({ temperature: 0, top_k: 5 });
});

test.each<[string, object, object]>([
  ["set", { mode: "set", path: "temperature", value: 0 }, { temperature: 0 }],
  ["set deep", { mode: "set", path: "metadata.b.c", value: 2 }, { metadata: { a: 1, b: { c: 2 } } }],
  ["set keeps what is there", { mode: "set", path: "temperature", value: 0, keep_origin: true }, {}],
  ["delete", { mode: "delete", path: "metadata" }, { metadata: undefined }],
  ["delete an item", { mode: "delete", path: "messages.0" }, { messages: [body.messages[1]] }],
  ["move", { mode: "move", from: "metadata.a", to: "seed" }, { metadata: {}, seed: 1 }],
  ["copy", { mode: "copy", from: "temperature", to: "top_p" }, { top_p: 1 }],
  ["prepend to text", { mode: "prepend", path: "model", value: "x/" }, { model: "x/m" }],
  [
    "append to a list",
    { mode: "append", path: "messages", value: { role: "user" } },
    { messages: [...body.messages, { role: "user" }] },
  ],
  ["append to an object", { mode: "append", path: "metadata", value: { b: 2 } }, { metadata: { a: 1, b: 2 } }],
  ["trim_prefix", { mode: "trim_prefix", path: "model", value: "m" }, { model: "" }],
  ["ensure_suffix", { mode: "ensure_suffix", path: "model", value: "-latest" }, { model: "m-latest" }],
  [
    "trim_space",
    { mode: "trim_space", path: "messages.0.content" },
    { messages: [{ role: "system", content: "Be brief" }, body.messages[1]] },
  ],
  [
    "the last item",
    { mode: "to_upper", path: "messages.-1.content" },
    { messages: [body.messages[0], { role: "user", content: "HI" }] },
  ],
  ["replace", { mode: "replace", path: "model", from: "m", to: "n" }, { model: "n" }],
  ["regex_replace", { mode: "regex_replace", path: "model", from: "^(.)", to: "$1$1" }, { model: "mm" }],
  ["a bad pattern does nothing", { mode: "regex_replace", path: "model", from: "(", to: "" }, {}],
  ["an unknown mode does nothing", { mode: "explode", path: "model" }, {}],
  ["no way into the prototype", { mode: "set", path: "__proto__.polluted", value: 1 }, {}],
])("operation: %s", (_name, operation, edits) => {
  expect(change(operation)).toEqual(edits);
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
});

test("an operation runs only when its conditions hold, any of them or all", () => {
  const set = { mode: "set", path: "x", value: 1 };
  const yes = { path: "model", mode: "prefix", value: "m" };
  const no = { path: "temperature", mode: "gt", value: 1 };
  const missing = { path: "absent", mode: "full", value: 1 };
  expect(change({ ...set, conditions: [yes, no] })).toEqual({ x: 1 });
  expect(change({ ...set, logic: "AND", conditions: [yes, no] })).toEqual({});
  expect(change({ ...set, logic: "AND", conditions: [yes, { ...no, invert: true }] })).toEqual({ x: 1 });
  expect(change({ ...set, conditions: [missing] })).toEqual({});
  expect(change({ ...set, conditions: [{ ...missing, pass_missing_key: true }] })).toEqual({ x: 1 });
});

test("operations see what was changed before them, and the caller's body is left alone", () => {
  const operations = [
    { mode: "set", path: "model", value: "a" },
    { mode: "append", path: "model", value: "b" },
  ];
  expect(overrideParameters(body, { model: "mapped" }, { operations })).toEqual({ model: "ab" });
  expect(body.model).toBe("m");
});
