import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeFrames } from "../../testing/encode-frames";
import type { Frame } from "../wire/canonical/machine";
import { EventFieldsReader } from "./framing";

const read = (text: string): Frame[] => {
  const reader = new EventFieldsReader();
  return [...reader.push(Buffer.from(text)), ...reader.end()];
};
const frame = (event: string | null, fields: object): Frame => ({ event, data: JSON.stringify(fields) });

test("data is text, line by line, and id and meta are fields of their own", () => {
  const text = 'event:add\nid:1\ndata:Hello\ndata:\ndata: you\n\nevent:finish\nid:1\ndata:\nmeta:{"a":1}\n\n';
  expect(read(text)).toEqual([
    frame("add", { id: "1", data: "Hello\n\n you" }),
    frame("finish", { id: "1", data: "", meta: '{"a":1}' }),
  ]);
});

test("an event without data counts, and the next one inherits nothing", () => {
  expect(read('meta:{"a":1}\n\ndata:x\n\nid:7\n\n')).toEqual([
    frame(null, { data: "", meta: '{"a":1}' }),
    frame(null, { data: "x" }),
  ]);
});

test("the data of an error is JSON, or a message", () => {
  expect(read('event:error\ndata:{"code":1301,"msg":"no"}\n\nevent:error\ndata:out of order\n\n')).toEqual([
    { event: "error", data: '{"code":1301,"msg":"no"}' },
    frame("error", { msg: "out of order" }),
  ]);
});

test("text that looks like JSON, or like a field, stays text", () => {
  expect(read('event:add\ndata:{"error":"no"}\ndata:meta:x\n\n')).toEqual([
    frame("add", { data: '{"error":"no"}\nmeta:x' }),
  ]);
});

test("the same frames come out wherever the bytes are divided", () => {
  const texts = fc.array(fc.string({ unit: fc.constantFrom("a", " ", "ü", "日", "\n", ":", "{", "d") }), {
    maxLength: 8,
  });
  fc.assert(
    fc.property(texts, fc.array(fc.nat(30)), (given, lengths) => {
      const frames = given.map((data) => frame("add", { id: "1", data }));
      const { bytes } = encodeFrames("sse-fields", frames);
      const reader = new EventFieldsReader();
      const got: Frame[] = [];
      let at = 0;
      for (const length of lengths) {
        got.push(...reader.push(bytes.subarray(at, at + length)));
        at += length;
      }
      got.push(...reader.push(bytes.subarray(at)), ...reader.end());
      expect(got).toEqual(frames);
      expect(reader.events).toBe(frames.length);
    }),
  );
});
