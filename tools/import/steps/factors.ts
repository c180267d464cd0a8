import { nowSeconds } from "@/lib/clock";
import { seal } from "@/lib/crypto";
import { insertFactors } from "../factor-commands";
import { leaveOut, noteChange } from "../findings";
import type { Step } from "../step";
import { flagOf, isDeleted, textOf, wholeOf } from "../values";

/** Authenticators. An account that had one would be open to whoever has its password. */
export const factors: Step = {
  kind: "factors",
  table: "two_fas",
  key: "id",
  columns: ["id", "user_id", "secret", "is_enabled", "deleted_at"],
  ignored: ["failed_attempts", "locked_until", "last_used_at", "created_at", "updated_at"],
  batch: 1_000,
  async run(rows, { ctx, lookups, findings, settings }) {
    const owners = await lookups.newIds(
      "users",
      rows.flatMap((row) => wholeOf(row, "user_id") ?? []),
    );
    const found = new Map<number, string>();
    for (const row of rows) {
      const userId = owners.get(wholeOf(row, "user_id") ?? 0);
      const secret = textOf(row, "secret").replaceAll(" ", "").toUpperCase();
      const example = `of user #${String(row.user_id)}`;
      if (isDeleted(row) || !flagOf(row, "is_enabled")) leaveOut(findings, "not in use there", example);
      else if (userId === undefined) leaveOut(findings, "the user was not imported", example);
      else if (!/^[A-Z2-7]{8,128}=*$/.test(secret)) leaveOut(findings, "no secret of an authenticator", example);
      else {
        found.set(userId, seal(secret));
        noteChange(
          findings,
          "the authenticator goes on working; its recovery codes do not, because only hashes of them are there",
          example,
        );
      }
    }
    findings.moved += found.size;
    if (!settings.dryRun) await insertFactors(ctx.db, found, nowSeconds());
  },
};
