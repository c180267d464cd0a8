import { eq, inArray, or } from "drizzle-orm";
import type { Database } from "@/db/client";
import { users } from "@/db/schema";

/** The order of all locks on accounts is by ascending id (lib/billing/README.md); an inviter can have the higher one. */
export async function lockWithInviter(tx: Database, userId: number): Promise<void> {
  const inviter = tx.select({ id: users.inviterId }).from(users).where(eq(users.id, userId));
  await tx
    .select({ id: users.id })
    .from(users)
    .where(or(eq(users.id, userId), inArray(users.id, inviter)))
    .orderBy(users.id)
    .for("no key update");
}
