import { randomBytes } from "node:crypto";
import { createDatabase } from "@/db/client";
import { users } from "@/db/schema";
import { postLedgerEntry } from "@/lib/billing/ledger";
import { hashPassword, randomAlphanumeric } from "@/lib/crypto";

const rootQuota = 100_000_000;

/** Creates the root user when there is none yet. Returns the password when it was generated; it is never shown again. */
export async function ensureRoot(url: string, givenPassword: string | undefined): Promise<string | null> {
  const { sql, db, end } = createDatabase({ url, max: 2, applicationName: "weir-bootstrap" });
  try {
    const [present] = await sql`select 1 from users where role = 100 limit 1`;
    if (present) return null;
    const password = givenPassword ?? randomBytes(12).toString("base64url");
    const passwordHash = await hashPassword(password);
    const created = await db.transaction(async (tx) => {
      const rows = await tx
        .insert(users)
        .values({
          username: "root",
          displayName: "Root User",
          passwordHash,
          role: 100,
          initialPassword: 1,
          affCode: randomAlphanumeric(4),
        })
        // Two machines may start on the same empty database at once.
        .onConflictDoNothing()
        .returning({ id: users.id });
      const root = rows[0];
      if (!root) return false;
      await postLedgerEntry(tx, {
        userId: root.id,
        amount: rootQuota,
        kind: "grant",
        reference: `user:${root.id}:initial`,
        actorId: null,
      });
      return true;
    });
    return created && givenPassword === undefined ? password : null;
  } finally {
    await end();
  }
}
