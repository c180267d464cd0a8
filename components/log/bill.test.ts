import { expect, test } from "vitest";
import { readActualModel, readAttempts, readBill } from "./bill";

const line = { kind: "prompt", quantity: 100, unitPrice: 0.075, amount: 8 };

test("a bill lists the recorded lines with the group ratio, the charged total and what exceeded the reservation", () => {
  const bill = readBill({ quota: 8, other: { lines: [line], group_ratio: 1, estimated: true, beyond_reservation: 3 } });
  expect(bill).toEqual({ lines: [line], groupRatio: 1, total: 8, estimated: true, beyond: 3 });
  expect(readBill({ quota: 8, other: { lines: [line] } })?.beyond).toBe(0);
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
