import { expect, test } from "vitest";
import { ArrayStream } from "./array-stream";

const events = (...texts: string[]): Buffer =>
  Buffer.from(texts.map((text) => `data: {"text":"${text}"}\n\n`).join(""));

test("the events of a stream are one array, wherever they are cut and whatever comes between", () => {
  const bytes = Buffer.concat([events("a", "ü"), Buffer.from(": waiting\n\n"), events("c")]);
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const stream = new ArrayStream();
    const parts = [stream.push(bytes.subarray(0, cut)), stream.push(bytes.subarray(cut)), stream.end(events("d"))];
    expect(JSON.parse(Buffer.concat(parts).toString())).toEqual(["a", "ü", "c", "d"].map((text) => ({ text })));
  }
});

test("a stream without events is an empty array", () => {
  expect(JSON.parse(new ArrayStream().end(Buffer.alloc(0)).toString())).toEqual([]);
});

test("the items that have arrived are sent at once", () => {
  const stream = new ArrayStream();
  expect(stream.push(events("a")).toString()).toBe('[{"text":"a"}');
  expect(stream.push(events("b")).toString()).toBe(',\n{"text":"b"}');
});
