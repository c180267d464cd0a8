import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyEdits, findLastText, findTopLevelObject, scanTopLevel } from "./json-splice";

function edit(text: string, edits: Record<string, unknown>): string {
  const bytes = Buffer.from(text);
  const spans = scanTopLevel(bytes);
  if (!spans) throw new Error("not plain");
  return applyEdits(bytes, JSON.parse(text), spans, edits).toString("utf8");
}

const key = fc.constantFrom("model", "stream", "messages", "a", "b", "ключ");

describe("applyEdits", () => {
  test("only the edited value changes; spacing and order of the rest stay", () => {
    const text = '{ "messages": [ {"content":"a \\"model\\": x"} ],\n "model" : "old" , "n":1e2}';
    expect(edit(text, { model: "new" })).toBe(text.replace('"old"', '"new"'));
  });

  test("a key that is not there is added", () => {
    expect(edit('{"a":1}', { b: { c: 2 } })).toBe('{"b":{"c":2},"a":1}');
    expect(edit("{}", { b: 1 })).toBe('{"b":1}');
  });

  test("undefined removes a key", () => {
    expect(JSON.parse(edit('{"a":1,"b":2}', { a: undefined }))).toEqual({ b: 2 });
  });

  test("whatever the object and the edits, the result parses to the edited object", () => {
    fc.assert(
      fc.property(
        fc.dictionary(key, fc.jsonValue()),
        fc.dictionary(key, fc.jsonValue()),
        fc.boolean(),
        (json, edits, wide) => {
          const text = JSON.stringify(json, null, wide ? 2 : 0);
          const expected = JSON.parse(JSON.stringify({ ...json, ...edits }));
          expect(JSON.parse(edit(text, edits))).toEqual(expected);
        },
      ),
    );
  });
});

describe("scanTopLevel", () => {
  test.each(['{"model":"a","model":"b"}', '{"mod\\u0065l":"a"}'])(
    "a key whose meaning depends on the reader: %s",
    (text) => {
      expect(scanTopLevel(Buffer.from(text))).toBeNull();
    },
  );

  test("keys inside values are not the object's own", () => {
    const spans = scanTopLevel(Buffer.from('{"a":{"model":1,"x":"}\\\\"},"b":["{"],"c":-1.5}'));
    expect([...(spans?.keys() ?? [])]).toEqual(["a", "b", "c"]);
  });
});

describe("findLastText", () => {
  test("whatever the text, it is what a parser reads", () => {
    const character = fc.constantFrom("a", '"', "\\", "/", "\n", "\u007f", "é", "字", "😀", "\ud800", "}");
    fc.assert(
      fc.property(fc.string({ unit: character }), (text) => {
        const bytes = Buffer.from(JSON.stringify({ wanted: "first", last: { wanted: text } }));
        expect(findLastText(bytes, '"wanted"')).toBe(JSON.parse(bytes.toString("utf8")).last.wanted);
      }),
    );
  });

  test.each(['{"wanted":"a\u0001b"}', '{"wanted":"a', '{"wanted":"a\\', '{"wanted":"\\x"}'])(
    "what no parser takes is no text: %j",
    (broken) => expect(findLastText(Buffer.from(broken), '"wanted"')).toBeUndefined(),
  );
});

describe("findTopLevelObject", () => {
  const usage = '"usage"';
  const find = (text: string) => findTopLevelObject(Buffer.from(text), usage);

  test("finds the value without parsing the rest, and is not misled by text", () => {
    const content = '"usage":{"prompt_tokens":999}';
    expect(find(JSON.stringify({ usage: { prompt_tokens: 1 }, choices: [{ content, name: "usage" }] }))).toEqual({
      prompt_tokens: 1,
    });
  });

  test("an object of that name inside another one is not taken, before or after the real one", () => {
    const nested = { deep: [{ usage: { prompt_tokens: 999 } }] };
    expect(find(JSON.stringify({ usage: { prompt_tokens: 1, nested: { usage: {} } }, nested, last: "}" }))).toEqual({
      prompt_tokens: 1,
      nested: { usage: {} },
    });
    expect(find(JSON.stringify({ nested, usage: { prompt_tokens: 1 } }))).toEqual({ prompt_tokens: 1 });
    expect(find(JSON.stringify({ nested }))).toBeUndefined();
    expect(find(`{"a":${'{"usage":'.repeat(20_000)}{}${"}".repeat(20_001)}`)).toBeUndefined();
  });

  test("null and absence are undefined", () => {
    expect(find('{"usage":null}')).toBeUndefined();
    expect(find("{}")).toBeUndefined();
  });
});
