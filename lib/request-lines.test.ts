import { expect, test } from "vitest";
import { gatherLines } from "./request-lines";

function gathered() {
  const writes: string[] = [];
  // The buffer is used again after each write.
  const lines = gatherLines({ write: (bytes) => void writes.push(bytes.toString()) });
  return { ...lines, writes };
}

test("lines are written together, whole and in order, at most 4 KiB at a time", () => {
  const { write, flush, writes } = gathered();
  const lines = Array.from({ length: 200 }, (_, place) => `{"line":${place},"text":"${"é€x".repeat(place % 40)}"}\n`);
  for (const line of lines) write(line, false);
  expect(writes.length).toBeLessThan(12);
  flush();
  flush();
  expect(writes.join("")).toBe(lines.join(""));
  for (const written of writes) {
    expect(Buffer.byteLength(written)).toBeLessThanOrEqual(4_096);
    expect(written.endsWith("}\n")).toBe(true);
  }
  // Nine tenths full, so that few writes serve many lines.
  expect(Math.min(...writes.slice(0, -1).map((written) => Buffer.byteLength(written)))).toBeGreaterThan(3_600);
});

test("an urgent line is written at once, with those that wait before it", () => {
  const { write, writes } = gathered();
  write("a\n", false);
  expect(writes).toEqual([]);
  write("b\n", true);
  expect(writes).toEqual(["a\nb\n"]);
});

test("a line longer than the buffer is written by itself and in its place", () => {
  const { write, flush, writes } = gathered();
  const long = `${"x".repeat(9_000)}\n`;
  for (const line of ["a\n", long, "b\n"]) write(line, false);
  flush();
  expect(writes).toEqual(["a\n", long, "b\n"]);
});

test("what a full disk refused is kept as it was, and later lines do not change it", () => {
  const kept: Buffer[] = [];
  const { write, flush } = gatherLines({
    write(bytes) {
      kept.push(bytes);
      if (kept.length === 1) throw new Error("ENOSPC");
    },
  });
  write("a\n", false);
  expect(flush).toThrow("ENOSPC");
  write("b\n", false);
  flush();
  expect(kept.map(String)).toEqual(["a\n", "b\n"]);
});
