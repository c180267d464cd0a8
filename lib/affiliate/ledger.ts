import { and, eq, sql } from "drizzle-orm";
import type { Database } from "@/db/client";
import { affiliateEntries, users } from "@/db/schema";
import { toQuota } from "@/lib/billing/quota";
import { AppError } from "@/lib/errors";

export type AffiliateEntry = {
  /** The inviter. */
  userId: number;
  inviteeId: number | null;
  kind: "invitation" | "dividend" | "transfer" | "reversal";
  /** Added to the pending earnings, as a whole number; negative for a transfer to the balance or a share taken back. */
  amount: number;
  /** Unique per event, so that an event is never booked twice. */
  reference: string;
};

/**
 * Changes an inviter's pending earnings and records why; call it in the transaction of the event. The only writer of
 * users.aff_quota (the sum of the entries) and users.aff_history_quota (the sum of the positive ones without reversals). Returns false
 * and changes nothing when the reference is already booked. Throws conflict when the pending earnings are too low.
 */
export async function postAffiliateEntry(tx: Database, entry: AffiliateEntry): Promise<boolean> {
  const amount = toQuota(entry.amount);
  return tx.transaction(async (nested) => {
    const booked = await nested
      .insert(affiliateEntries)
      .values({ ...entry, amount })
      .onConflictDoNothing()
      .returning({ id: affiliateEntries.id });
    if (booked.length === 0) return false;
    const changed = await nested
      .update(users)
      .set({
        affQuota: sql`${users.affQuota} + ${amount}`,
        affHistoryQuota: sql`${users.affHistoryQuota} + ${entry.kind === "reversal" ? 0 : Math.max(amount, 0)}`,
      })
      .where(and(eq(users.id, entry.userId), sql`${users.affQuota} + ${amount} >= 0`))
      .returning({ id: users.id });
    if (changed.length === 0) throw new AppError("conflict", "affiliateInsufficient");
    return true;
  });
}

/** What inviters had earned in another system, and what of it is pending still; in new accounts only. */
export async function openEarnings(
  tx: Database,
  earnings: readonly { userId: number; earned: number; pending: number; reference: string }[],
): Promise<void> {
  const rows = earnings.filter(({ earned }) => earned > 0);
  if (rows.length === 0) return;
  const given = sql`jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb)
    as row("userId" integer, earned bigint, pending bigint, reference text)`;
  // Dated before every limit per day.
  await tx.execute(sql`
    insert into affiliate_entries (user_id, kind, amount, reference, created_at)
    select "userId", 'invitation', earned, reference || ':earned', 0 from ${given}
    union all
    select "userId", 'transfer', pending - earned, reference || ':transferred', 0 from ${given} where pending < earned`);
  await tx.execute(sql`
    update users set aff_quota = pending, aff_history_quota = earned from ${given} where users.id = "userId"`);
}
