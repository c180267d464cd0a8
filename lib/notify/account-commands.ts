import { randomUUID } from "node:crypto";
import { eq } from "drizzle-orm";
import type { Database } from "@/db/client";
import { users } from "@/db/schema";
import { nowSeconds } from "@/lib/clock";
import type { ServiceContext } from "@/lib/context";
import { notify } from "./notify-commands";

type Credit = {
  userId: number;
  event: "topped_up" | "code_redeemed" | "quota_adjusted";
  /** What the balance changed by. */
  amount: number;
  /** The reference of the ledger entry. */
  reference: string;
};

/** Tells an account what its balance changed by and is now; in the transaction that books it, after the booking. */
export async function tellCredit(tx: Database, { userId, event, amount, reference }: Credit): Promise<void> {
  const [row] = await tx.select({ balance: users.quota }).from(users).where(eq(users.id, userId));
  if (!row) return;
  await notify(tx, { userId, event, params: { amount, balance: row.balance }, dedupeKey: reference });
}

type Earning = {
  userId: number;
  inviteeId: number;
  event: "invitation_reward" | "dividend";
  amount: number;
  reference: string;
};

/** Tells an inviter what an invitee has brought; in the transaction that books it. */
export async function tellEarning(
  tx: Database,
  { userId, inviteeId, event, amount, reference }: Earning,
): Promise<void> {
  const [row] = await tx.select({ username: users.username }).from(users).where(eq(users.id, inviteeId));
  const params = { amount, invitee: maskName(row?.username ?? String(inviteeId)) };
  await notify(tx, { userId, event, params, dedupeKey: `earning:${reference}` });
}

/** Tells an account that its password was changed, and from where; in the transaction of the change. */
export async function tellPasswordChange(tx: Database, ctx: ServiceContext, userId: number): Promise<void> {
  await notify(tx, {
    userId,
    event: "password_changed",
    params: { clientIp: ctx.clientIp, at: nowSeconds() },
    dedupeKey: `password:${randomUUID()}`,
  });
}

/** An inviter recognises who it is; nobody else learns a whole name by it. */
function maskName(name: string): string {
  const [first = "", ...rest] = [...name];
  return rest.length === 0 ? `${first}***` : `${first}***${rest.at(-1)}`;
}
