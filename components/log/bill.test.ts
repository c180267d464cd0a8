import { expect, test } from "vitest";
import { readActualModel, readAttempts, readBill, readUnpriced } from "./bill";

const line = { kind: "prompt", quantity: 100, unitPrice: 0.075, amount: 8 };

test("a bill lists the recorded lines with the group ratio, the charged total and what exceeded the reservation", () => {
  const bill = readBill({ quota: 8, other: { lines: [line], group_ratio: 1, estimated: true, beyond_reservation: 3 } });
  expect(bill).toEqual({ lines: [line], groupRatio: 1, total: 8, notes: ["estimated"], beyond: 3 });
  expect(readBill({ quota: 8, other: { lines: [line] } })).toMatchObject({ beyond: 0, notes: [] });
  const other = { lines: [line], estimated: true, usage_rejected: { prompt_tokens: 1 }, ended_by_balance: true };
  expect(readBill({ quota: 8, other })?.notes).toEqual(["usageRejected", "endedByBalance"]);
});

test("an answer that several models wrote says so", () => {
  const other = { lines: [line], continued: true, estimated: true };
  expect(readBill({ quota: 8, other })?.notes).toEqual(["continued"]);
  expect(readBill({ quota: 8, other: { ...other, parts: [{ model: "m" }] } })?.notes).toEqual(["continuedByModels"]);
});

test("lines of meters keep their variant, and two of a kind stay two", () => {
  const pictures = { kind: "picture", variant: "1024x1024:hd", quantity: 2, unitPrice: 40_000, amount: 80_000 };
  const lines = [
    pictures,
    { ...pictures, variant: "512x512" },
    { kind: "second", quantity: 1.5, unitPrice: 50, amount: 75 },
  ];
  expect(readBill({ quota: 160_075, other: { lines } })?.lines).toEqual(lines);
});

test("what has no price is named, so that nobody takes it for free (issue 14)", () => {
  expect(readUnpriced({ unpriced: ["picture:256x256", 7] })).toEqual(["picture:256x256"]);
  expect(readUnpriced({})).toEqual([]);
});

test("rows without lines, with broken lines or with nothing at all have no bill", () => {
  expect(readBill({ quota: 5, other: {} })).toBeNull();
  expect(readBill({ quota: 5, other: { lines: [null, { kind: "prompt" }, { ...line, kind: "x" }] } })).toBeNull();
  expect(readBill({ quota: 5, other: { lines: "no" } })).toBeNull();
});

test("attempts and the actual model are read only where they were recorded", () => {
  expect(readAttempts({ admin_info: { use_channel: ["3", 7] } })).toEqual(["3", "7"]);
  expect(readAttempts({ admin_info: "x" })).toEqual([]);
  expect(readActualModel({ is_model_mapped: true, upstream_model_name: "m" })).toBe("m");
  expect(readActualModel({ upstream_model_name: "m" })).toBeNull();
});
