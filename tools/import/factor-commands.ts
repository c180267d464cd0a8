import type { Database } from "@/db/client";
import { totpFactors } from "@/db/schema";

/** Sealed secrets by user. */
export async function insertFactors(tx: Database, secrets: ReadonlyMap<number, string>, now: number): Promise<void> {
  if (secrets.size === 0) return;
  await tx
    .insert(totpFactors)
    .values([...secrets].map(([userId, secretCipher]) => ({ userId, secretCipher, enabledAt: now })))
    .onConflictDoNothing();
}
