import { noteCredits, type OpenedCredit } from "@/lib/billing/opening-ledger";
import { nowSeconds } from "@/lib/clock";
import { REDEMPTION_STATUS } from "@/lib/row-status";
import { insertCodes, type NewCode } from "../commerce-commands";
import { convertRows, noteChange } from "../findings";
import { takeIds } from "../lookup-queries";
import type { Step, StepContext } from "../step";
import type { SourceRow } from "../types";
import { amountOf, cut, isDeleted, secondsOf, textOf, wholeOf } from "../values";

const KEY_MAX = 32;
const NAME_MAX = 64;

type Draft = Omit<NewCode, "id"> & { oldId: number };

export const redemptions: Step = {
  kind: "redemptions",
  table: "redemptions",
  key: "id",
  columns: [
    "id",
    "user_id",
    "key",
    "status",
    "name",
    "quota",
    "created_time",
    "redeemed_time",
    "used_user_id",
    "deleted_at",
    "expired_time",
  ],
  ignored: [],
  batch: 1_000,
  async run(rows, at) {
    const { ctx, lookups, findings, settings, sourceId } = at;
    await lookups.load(
      "code",
      rows.map((row) => textOf(row, "key")),
    );
    const people = await lookups.newIds(
      "users",
      rows.flatMap((row) => [wholeOf(row, "user_id") ?? 0, wholeOf(row, "used_user_id") ?? 0]),
    );
    const drafts = convertRows(rows, findings, (row) => convert(row, people, at));
    findings.moved += drafts.length;
    if (settings.dryRun) return;
    const ids = await takeIds(ctx.db, "redemptions", drafts.length);
    const codes = drafts.map(({ oldId: _, ...draft }, index) => ({ ...draft, id: ids[index] ?? 0 }));
    await insertCodes(ctx.db, codes);
    await noteCredits(
      ctx.db,
      drafts.flatMap((draft, index) => creditOf(draft, ids[index] ?? 0, sourceId)),
    );
  },
};

function creditOf(draft: Draft, id: number, sourceId: number): OpenedCredit[] {
  if (draft.status !== REDEMPTION_STATUS.used) return [];
  const origin = `import:${sourceId}:redemption:${draft.oldId}`;
  const at = draft.redeemedTime || draft.createdTime;
  return [
    { userId: draft.usedUserId, amount: draft.quota, kind: "redemption", reference: `redemption:${id}`, at, origin },
  ];
}

/** A code as it is here, or why it is left out. Two codes of different case are two. */
function convert(
  row: SourceRow,
  people: ReadonlyMap<number, number>,
  { lookups, findings }: StepContext,
): Draft | string {
  if (isDeleted(row)) return "deleted there";
  const key = textOf(row, "key");
  if (key === "" || key.length > KEY_MAX) return `the code has not 1 to ${KEY_MAX} characters`;
  const quota = amountOf(row, "quota");
  if (typeof quota !== "number") return "the amount is beyond 9007199254740991 or no number";
  if (quota <= 0) return "the amount is not above 0";
  if (lookups.isTaken("code", key)) return "the code is here already";
  const status = statusOf(row, (what) => noteChange(findings, what, `#${String(row.id)}`));
  const usedUserId = people.get(wholeOf(row, "used_user_id") ?? 0) ?? 0;
  if (status === REDEMPTION_STATUS.used && usedUserId === 0) return "used by somebody who was not imported";
  lookups.claim("code", key);
  return {
    oldId: wholeOf(row, "id") ?? 0,
    userId: people.get(wholeOf(row, "user_id") ?? 0) ?? 0,
    key,
    status,
    name: cut(textOf(row, "name") || "imported", NAME_MAX),
    quota,
    createdTime: secondsOf(row, "created_time"),
    expiredTime: secondsOf(row, "expired_time"),
    redeemedTime: status === REDEMPTION_STATUS.used ? secondsOf(row, "redeemed_time") : 0,
    usedUserId: status === REDEMPTION_STATUS.used ? usedUserId : 0,
  };
}

function statusOf(row: SourceRow, change: (what: string) => void): number {
  const status = wholeOf(row, "status");
  const known = Object.values(REDEMPTION_STATUS).find((value) => value === status);
  if (known === undefined) change(`the status ${status ?? "(none)"} is unknown: now disabled`);
  const end = secondsOf(row, "expired_time");
  if (known !== REDEMPTION_STATUS.unused || end === 0) return known ?? REDEMPTION_STATUS.disabled;
  if (end > nowSeconds()) return known;
  change("the code's end was past: now disabled");
  return REDEMPTION_STATUS.disabled;
}
