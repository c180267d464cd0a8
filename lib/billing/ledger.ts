import { and, eq, sql } from "drizzle-orm";
import type { Database } from "@/db/client";
import { ledgerEntries, users } from "@/db/schema";
import { AppError } from "@/lib/errors";
import { BALANCE_CHANNEL } from "./balance-notice";
import { toQuota } from "./quota";

type LedgerKind =
  | "grant"
  | "adjustment"
  | "redemption"
  | "topup"
  | "invitation"
  | "transfer"
  | "refund"
  /** A refunded or disputed payment, and the inviter's share of it. */
  | "reversal";

export type LedgerEntry = {
  userId: number;
  /** Whole number added to the balance; negative subtracts. */
  amount: number;
  kind: LedgerKind;
  /** Unique name of the event, e.g. `topup:<trade number>`, so the same event cannot be posted twice. */
  reference: string;
  actorId: number | null;
  note?: string;
};

/**
 * Changes a balance and records why. Call it inside the event's own transaction. The only way to change a balance
 * except metered usage. Throws "conflict" when the reference was posted before.
 */
export async function postLedgerEntry(tx: Database, entry: LedgerEntry): Promise<void> {
  const amount = toQuota(entry.amount);
  const { userId, kind, reference, actorId, note = "" } = entry;
  await tx.transaction(async (nested) => {
    const posted = await nested
      .insert(ledgerEntries)
      .values({ userId, amount, kind, reference, actorId, note })
      // Whatever key says so: that of this version will be by user.
      .onConflictDoNothing()
      .returning({ id: ledgerEntries.id });
    if (posted.length === 0) throw new AppError("conflict", "ledgerReferenceTaken", { reference });
    await nested
      .update(users)
      .set({ quota: sql`${users.quota} + ${amount}` })
      .where(eq(users.id, userId));
    // When a balance shrinks, gateways must return what they hold of it before they admit more.
    if (amount < 0) await nested.execute(sql`select pg_notify(${BALANCE_CHANNEL}, ${`${userId}:0:`})`);
  });
}

/** The amount that was posted under a reference of a user's; null = none was. */
export async function findPosted(tx: Database, userId: number, reference: string): Promise<number | null> {
  const [row] = await tx
    .select({ amount: ledgerEntries.amount })
    .from(ledgerEntries)
    .where(and(eq(ledgerEntries.userId, userId), eq(ledgerEntries.reference, reference)));
  return row?.amount ?? null;
}

/** Makes every gateway reread this token's limit before it admits more. Call it when a token's limit changes. */
export async function announceTokenLimit(tx: Database, userId: number, tokenId: number): Promise<void> {
  await tx.execute(sql`select pg_notify(${BALANCE_CHANNEL}, ${`${userId}:${tokenId}:`})`);
}
