import { expect, test } from "vitest";
import { measureText, WrittenText } from "./text-length";

test("arguments of a call that are an object count as written, as text does", () => {
  const args = '{"a": "}\\"ü", "b": {"c": 1}}';
  const body = Buffer.from(`{"text": "hi", "functionCall": {"name": "f", "args": ${args}}, "text": "!"}`);
  const keys = ['text"', 'args"'];
  const written = new WrittenText();
  written.add(body.toString("latin1"), keys);
  expect(written.bytes).toBe(3 + Buffer.byteLength(args));
  const { asciiBytes, otherBytes } = measureText(body, keys);
  expect([asciiBytes, otherBytes]).toEqual([3 + Buffer.byteLength(args) - 2, 2]);
  const broken = new WrittenText();
  broken.add('"args": {"a": "', keys);
  expect(broken.bytes).toBe('{"a": "'.length);
});

test("the length of a text is without the names of calls, and their bytes are with them", () => {
  const written = new WrittenText();
  const call = '{"content": "é!", "tool_calls": [{"function": {"name": "weather", "arguments": "{}"}}]}';
  const line = Buffer.from(call).toString("latin1");
  for (let i = 0; i < 2; i++) written.add(line, ['content"', 'arguments"'], '"name"');
  expect(written.length).toEqual({ asciiBytes: 2 * 3, otherBytes: 2 * 2 });
  expect(written.bytes).toBe(2 * (3 + 2 + "weather".length + 64));
  expect(written.length).toEqual(measureText(Buffer.from(call + call), ['content"', 'arguments"']));
});
