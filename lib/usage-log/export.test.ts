import { expect, test } from "vitest";
import { exportWords } from "@/lib/export/words";
import { LOG_TYPE } from "@/lib/row-status";
import type { UsageLog } from "./columns";
import { creditOf } from "./event-values";
import { logWriter } from "./export";

const display = { inCurrency: true, quotaPerUnit: 500_000, symbol: "$" };
const row = (own: Partial<UsageLog>): UsageLog => ({
  id: 1,
  requestId: "r",
  createdAt: 0,
  type: LOG_TYPE.consume,
  username: "alice",
  tokenName: "",
  group: "default",
  modelName: "",
  isStream: false,
  useTimeMs: 0,
  firstTokenMs: null,
  promptTokens: 0,
  completionTokens: 0,
  quota: 0,
  clientIp: "",
  content: "",
  statusCode: null,
  errorCode: "",
  errorCause: "",
  repeats: 0,
  userId: 1,
  tokenId: 0,
  channelId: 0,
  channelName: "",
  other: {},
  ...own,
});
const redeemed = row({
  type: LOG_TYPE.topup,
  quota: 5_000_000,
  content: "通过兑换码充值 5000000，兑换码 ID 3",
  other: { event: "redeemed", params: { quota: 5_000_000, code: 3 } },
});

test("an English export has no Chinese and no bare quota in its sentences (item: English CSV with Chinese text)", () => {
  const { head, write } = logWriter("csv", true, exportWords("en", display));
  const text = head + write([redeemed]);
  expect(text).not.toMatch(/\p{Script=Han}/u);
  expect(text).toContain("Redeemed a code for $10.00 (code ID 3)");
  const jsonl = logWriter("jsonl", false, exportWords("en", display)).write([redeemed]);
  expect(JSON.parse(jsonl)).toMatchObject({ quota: 5_000_000, type: 1, content: redeemed.content });
});

test("a top-up is credit and not cost; a refund of a task is cost that is taken back", () => {
  const refund = row({ type: LOG_TYPE.system, quota: -100_000, other: { event: "taskRefunded" } });
  const used = row({ quota: 250_000 });
  expect([redeemed, used, refund].map(creditOf)).toEqual([5_000_000, null, null]);
  const { head, write } = logWriter("csv", false, exportWords("en", display));
  const names = head.replace("\uFEFF", "").trim().split(",");
  const lines = write([redeemed, used, refund]).trim().split("\r\n");
  const cells = (name: string) => lines.map((line) => line.split(",")[names.indexOf(name)]);
  expect(cells("Cost ($)")).toEqual(["", "0.5", "-0.2"]);
  expect(cells("Credit ($)")).toEqual(["10", "", ""]);
  expect(names.slice(-2)).toEqual(["Cost (quota)", "Credit (quota)"]);
});
