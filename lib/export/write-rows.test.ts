import { expect, test } from "vitest";
import { exportWords } from "./words";
import { type ExportField, rowWriter, toCsvLine } from "./write-rows";

type Row = { id: number; kind: string; quota: number | null };
const FIELDS: readonly ExportField<Row>[] = [
  { name: "id", read: (row) => row.id },
  { name: "quota", label: "charge", isQuota: true, read: (row) => row.quota },
  { name: "kind", named: "movement", read: (row) => row.kind },
];
const ROWS: Row[] = [
  { id: 1, kind: "topup", quota: -123_457 },
  { id: 2, kind: "unheard", quota: null },
];
const display = { inCurrency: true, quotaPerUnit: 500_000, symbol: "$" };

function file(words: Parameters<typeof rowWriter<Row>>[2], format: "csv" | "jsonl" = "csv"): string[] {
  const { head, write } = rowWriter(format, FIELDS, words);
  return `${head}${write(ROWS)}`.replace("\uFEFF", "").trim().split(/\r?\n/);
}

test("a CSV file is in the user's language, with exact money beside quota in the last columns (T3)", () => {
  expect(file(exportWords("en", display))).toEqual([
    "ID,Cost ($),Type,Cost (quota)",
    "1,-0.246914,Online top-up,-123457",
    "2,,unheard,",
  ]);
  expect(file(exportWords("zh", { ...display, symbol: "￥" }))[0]).toBe("ID,花费 (￥),类型,花费 (额度)");
});

test("a site that shows quota exports quota in its place, and JSON keeps the names and numbers of the API", () => {
  expect(file(exportWords("en", { ...display, inCurrency: false }))).toEqual([
    "ID,Cost (quota),Type",
    "1,-123457,Online top-up",
    "2,,unheard",
  ]);
  expect(file(exportWords("en", display), "jsonl")[0]).toBe('{"id":1,"quota":-123457,"kind":"topup"}');
  expect(file(null)[0]).toBe("id,quota,kind");
});

test("a decimal number stays one, and a formula stays text", () => {
  expect(toCsvLine(["-0.5", "-1", "-1+2", "=1", "@a", "+1", 'a"b'])).toBe(`-0.5,-1,'-1+2,'=1,'@a,'+1,"a""b"\r\n`);
});
