import { and, eq, sql } from "drizzle-orm";
import type { Database } from "@/db/client";
import { affiliateEntries, ledgerEntries, users } from "@/db/schema";
import { postLedgerEntry } from "@/lib/billing/ledger";
import { postAffiliateEntry } from "./ledger";

type ReversedTopUp = {
  topUpId: number;
  /** Credited for the top-up, and how much of it has been taken back in all. */
  quota: number;
  reversedQuota: number;
  /** Unique name of what changed it. */
  cause: string;
};

/**
 * Takes back the inviter's share of what was taken back of a top-up: from the pending earnings, and what was already
 * moved to the balance from the balance. Gives it back when the top-up gets its quota back. Call it in the transaction
 * that books the change, with the inviter's row locked.
 */
export async function takeBackDividend(tx: Database, reversed: ReversedTopUp): Promise<void> {
  const { topUpId, quota, reversedQuota, cause } = reversed;
  const [share] = await tx
    .select({ userId: affiliateEntries.userId, inviteeId: affiliateEntries.inviteeId, amount: affiliateEntries.amount })
    .from(affiliateEntries)
    .where(eq(affiliateEntries.reference, `dividend:${topUpId}`));
  if (!share || quota === 0) return;
  const due = Number((BigInt(share.amount) * BigInt(reversedQuota)) / BigInt(quota));
  const change = (await sumTakenBack(tx, share.userId, topUpId)) - due;
  if (change === 0) return;
  const pending = await readPending(tx, share.userId);
  const fromEarnings = Math.max(change, -pending);
  const entry = { userId: share.userId, reference: `${stemOf(topUpId)}${cause}` };
  if (fromEarnings !== 0) {
    const { inviteeId } = share;
    await postAffiliateEntry(tx, { ...entry, inviteeId, kind: "reversal", amount: fromEarnings });
  }
  const fromBalance = change - fromEarnings;
  if (fromBalance !== 0) await postLedgerEntry(tx, { ...entry, amount: fromBalance, kind: "reversal", actorId: null });
}

const stemOf = (topUpId: number): string => `dividend-back:${topUpId}:`;

async function sumTakenBack(tx: Database, userId: number, topUpId: number): Promise<number> {
  let sum = 0;
  for (const table of [affiliateEntries, ledgerEntries]) {
    const [row] = await tx
      .select({ sum: sql<number>`coalesce(sum(${table.amount}), 0)::bigint` })
      .from(table)
      .where(and(eq(table.userId, userId), sql`starts_with(${table.reference}, ${stemOf(topUpId)})`));
    sum -= Number(row?.sum ?? 0);
  }
  return sum;
}

async function readPending(tx: Database, userId: number): Promise<number> {
  const [row] = await tx.select({ pending: users.affQuota }).from(users).where(eq(users.id, userId));
  return row?.pending ?? 0;
}
