import { expect, test } from "vitest";
import { RecordEncoder, readRecords } from "./journal-records";

const FILE = "node.000001.records";

test("a group of any size is read back as it was, although groups share one buffer", () => {
  const encoder = new RecordEncoder();
  const texts = ["{}", '{"é":"€ 😀 \u2028"}', "x".repeat(70_000), "€".repeat(500_000), '{"after":"a large one"}', ""];
  let from = 0;
  const file: Buffer[] = [];
  for (const group of [texts, texts.slice(0, 1), [...texts, ...texts], texts.slice(1, 3)]) {
    const records = group.map((text) => ({ kind: "s", text }));
    file.push(Buffer.from(encoder.encode(FILE, from, records)));
    from += group.length;
  }
  const { lines, damagedPlaces } = readRecords(FILE, Buffer.concat(file));
  expect(damagedPlaces).toBe(0);
  const written = [texts, texts.slice(0, 1), texts, texts, texts.slice(1, 3)].flat();
  expect(lines).toEqual(written.map((text) => `s${text}`));
});

test("a record is its mark, checksum, number, kind, text and line break, as files of earlier versions have them", () => {
  const bytes = new RecordEncoder().encode(FILE, 7, [{ kind: "d", text: "a b" }]);
  expect(bytes.toString()).toBe("\x1e322f68217da b\n");
});
