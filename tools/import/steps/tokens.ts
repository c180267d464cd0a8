import { openKeys } from "@/lib/billing/opening-ledger";
import { convertToken, TOKEN_COLUMNS } from "../convert-token";
import { convertRows, leaveOut } from "../findings";
import { takeIds } from "../lookup-queries";
import type { Step } from "../step";

export const tokens: Step = {
  kind: "tokens",
  table: "tokens",
  key: "id",
  columns: TOKEN_COLUMNS,
  ignored: ["billing_type"],
  batch: 1_000,
  async run(rows, { ctx, lookups, findings, settings }) {
    const drafts = convertRows(rows, findings, (row) => convertToken(row, findings));
    await lookups.load(
      "keyHash",
      drafts.map(({ keyHash }) => keyHash),
    );
    const owners = await lookups.newIds(
      "users",
      drafts.map(({ owner }) => owner),
    );
    const moving = drafts.flatMap((draft) => {
      const userId = owners.get(draft.owner);
      const reason = lookups.isTaken("keyHash", draft.keyHash)
        ? "the key is here already"
        : "the user was not imported";
      if (userId !== undefined && !lookups.isTaken("keyHash", draft.keyHash)) {
        lookups.claim("keyHash", draft.keyHash);
        return [{ ...draft, userId }];
      }
      leaveOut(findings, reason, `#${draft.oldId} of user #${draft.owner}`);
      return [];
    });
    findings.moved += moving.length;
    const ids = settings.dryRun ? moving.map(({ oldId }) => oldId) : await takeIds(ctx.db, "tokens", moving.length);
    await lookups.remember(
      "tokens",
      moving.map(({ oldId }, index) => [oldId, ids[index] ?? 0] as const),
    );
    if (!settings.dryRun)
      await openKeys(
        ctx.db,
        moving.map((draft, index) => ({ ...draft, id: ids[index] ?? 0 })),
      );
  },
};
