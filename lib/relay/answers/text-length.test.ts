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
