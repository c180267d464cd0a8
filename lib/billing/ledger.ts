import { eq, sql } from "drizzle-orm";
import type { Database } from "@/db/client";
import { ledgerEntries, users } from "@/db/schema";
import { AppError } from "@/lib/errors";
import { BALANCE_CHANNEL } from "./balance-notice";
import { toQuota } from "./quota";

type LedgerKind = "grant" | "adjustment" | "redemption" | "topup" | "invitation" | "transfer" | "refund";

export type LedgerEntry = {
  userId: number;
  /** Added to the balance; negative to take away. A whole number. */
  amount: number;
  kind: LedgerKind;
  /** Names the event once and for all, e.g. `topup:<trade number>`: the same event can never be posted twice. */
  reference: string;
  actorId: number | null;
  note?: string;
};

/**
 * Changes a balance by an increment and records why; call it inside the transaction of the event itself. The only way
 * to change a balance other than metered consumption. Throws conflict when the reference was posted before.
 */
export async function postLedgerEntry(tx: Database, entry: LedgerEntry): Promise<void> {
  const amount = toQuota(entry.amount);
  const { userId, kind, reference, actorId, note = "" } = entry;
  await tx.transaction(async (nested) => {
    const posted = await nested
      .insert(ledgerEntries)
      .values({ userId, amount, kind, reference, actorId, note })
      .onConflictDoNothing({ target: ledgerEntries.reference })
      .returning({ id: ledgerEntries.id });
    if (posted.length === 0) throw new AppError("conflict", "ledgerReferenceTaken", { reference });
    await nested
      .update(users)
      .set({ quota: sql`${users.quota} + ${amount}` })
      .where(eq(users.id, userId));
    // What gateways hold of a balance that shrinks comes back before anything more is admitted on it.
    if (amount < 0) await nested.execute(sql`select pg_notify(${BALANCE_CHANNEL}, ${`${userId}:0:`})`);
  });
}

/** Tells every gateway to ask again before it admits more on this token; call it where a token's limit was changed. */
export async function announceTokenLimit(tx: Database, userId: number, tokenId: number): Promise<void> {
  await tx.execute(sql`select pg_notify(${BALANCE_CHANNEL}, ${`${userId}:${tokenId}:`})`);
}
