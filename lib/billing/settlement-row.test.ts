// Who: a gateway whose database is away while an upstream fails with long texts. The queue counts the bytes of its rows' JSON.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { LOG_TYPE } from "@/lib/row-status";
import { settlementOf } from "@/lib/testing/settlement";
import { encodeSettlement } from "./settlement-row";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
const ROWS = 50;
const ANSWER_BYTES = 200_000;

/** Cut out of an answer as upstream-error.ts does. V8 keeps the whole text for as long as the part is in use. */
const said = (at: number) => `${at} ${Buffer.alloc(ANSWER_BYTES, "overloaded ").toString()}`.slice(0, 1_000).trim();

function failed(at: number) {
  const failure = { status: 502, code: said(at), repeats: 0 };
  return settlementOf({ userId: 1, quota: 0, type: LOG_TYPE.error, content: said(at), failure });
}

test("a row that waits for its flush keeps no more of an upstream's answer than its text", () => {
  encodeSettlement(failed(0));
  collect();
  const before = process.memoryUsage().heapUsed;
  const rows = Array.from({ length: ROWS }, (_, at) => encodeSettlement(failed(at)));
  collect();
  expect((process.memoryUsage().heapUsed - before) / ROWS).toBeLessThan(ANSWER_BYTES / 20);
  expect(rows.every(({ columns, json }) => columns?.content === JSON.parse(json).content)).toBe(true);
});
