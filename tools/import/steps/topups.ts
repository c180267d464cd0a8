import { noteCredits } from "@/lib/billing/opening-ledger";
import { parseOption } from "@/lib/option/registry";
import { insertOrders, type NewOrder } from "../commerce-commands";
import { convertRows, noteChange } from "../findings";
import type { Step, StepContext } from "../step";
import type { SourceRow } from "../types";
import { amountOf, cut, realOf, secondsOf, textOf, wholeOf } from "../values";

const TRADE_MAX = 64;
const METHOD_MAX = 24;
const INT_MAX = 2_147_483_647;

type Draft = NewOrder & { oldId: number };

export const topups: Step = {
  kind: "topups",
  table: "top_ups",
  key: "id",
  columns: [
    "id",
    "user_id",
    "amount",
    "money",
    "trade_no",
    "payment_method",
    "payment_provider",
    "create_time",
    "complete_time",
    "status",
  ],
  ignored: [],
  batch: 1_000,
  async run(rows, at) {
    const { ctx, lookups, findings, settings, sourceId } = at;
    await lookups.load(
      "tradeNo",
      rows.map((row) => textOf(row, "trade_no")),
    );
    const people = await lookups.newIds(
      "users",
      rows.flatMap((row) => wholeOf(row, "user_id") ?? []),
    );
    const drafts = convertRows(
      rows,
      findings,
      (row) => convert(row, people, at),
      (row) => `#${String(row.id)} of user #${String(row.user_id)}`,
    );
    findings.moved += drafts.length;
    if (settings.dryRun) return;
    await insertOrders(
      ctx.db,
      drafts.map(({ oldId: _, ...order }) => order),
    );
    await noteCredits(
      ctx.db,
      drafts.flatMap(({ oldId, userId, quota, status, tradeNo, completeTime }) =>
        status === "success"
          ? [
              {
                userId,
                amount: quota,
                kind: "topup" as const,
                reference: `topup:${tradeNo}`,
                at: completeTime,
                origin: `import:${sourceId}:topup:${oldId}`,
              },
            ]
          : [],
      ),
    );
  },
};

function convert(row: SourceRow, people: ReadonlyMap<number, number>, at: StepContext): Draft | string {
  const userId = people.get(wholeOf(row, "user_id") ?? 0);
  const tradeNo = textOf(row, "trade_no");
  const amount = amountOf(row, "amount");
  if (userId === undefined) return "the user was not imported";
  if (tradeNo === "" || tradeNo.length > TRADE_MAX) return `the order's number has not 1 to ${TRADE_MAX} characters`;
  if (typeof amount !== "number" || amount < 0 || amount > INT_MAX) return `the amount is not between 0 and ${INT_MAX}`;
  if (at.lookups.isTaken("tradeNo", tradeNo)) return "an order with this number is here already";
  const provider = (textOf(row, "payment_provider") || textOf(row, "payment_method")) === "stripe" ? "stripe" : "epay";
  const money = realOf(row, "money");
  const quota = Math.round((provider === "stripe" ? money : amount) * quotaPerUnit(at.options));
  if (!Number.isSafeInteger(quota) || quota < 0) return "the amount is beyond 9007199254740991";
  at.lookups.claim("tradeNo", tradeNo);
  return {
    oldId: wholeOf(row, "id") ?? 0,
    userId,
    amount,
    money,
    tradeNo,
    paymentMethod: cut(textOf(row, "payment_method"), METHOD_MAX),
    status: statusOf(row, at),
    provider,
    quota,
    createTime: secondsOf(row, "create_time"),
    completeTime: secondsOf(row, "complete_time") || secondsOf(row, "create_time"),
  };
}

/** An order that is paid after all is paid there: both systems would credit it. */
function statusOf(row: SourceRow, { findings }: StepContext): "success" | "expired" {
  const status = textOf(row, "status");
  if (status === "success") return "success";
  if (status === "pending")
    noteChange(findings, "not paid yet: now expired, so that it cannot be credited twice", `#${String(row.id)}`);
  else if (status !== "expired" && status !== "failed")
    noteChange(findings, "an unknown state: now expired", `#${String(row.id)}`);
  return "expired";
}

export function quotaPerUnit(options: ReadonlyMap<string, string>): number {
  const given = Number(options.get("QuotaPerUnit"));
  return Number.isFinite(given) && given > 0 ? given : parseOption("QuotaPerUnit", "500000");
}
