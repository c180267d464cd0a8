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
  /** Change of the balance. */
  amount: number;
  /** The reference of the ledger entry. */
  reference: string;
};

/** Notifies a user of a change of the balance. Call it after the booking, in its transaction. */
export async function tellCredit(tx: Database, { userId, event, amount, reference }: Credit): Promise<void> {
  const [row] = await tx.select({ balance: users.quota }).from(users).where(eq(users.id, userId));
  if (!row) return;
  await notify(tx, { userId, event, params: { amount, balance: row.balance }, dedupeKey: reference });
}

type Reversal = { userId: number; amount: number; reference: string };

/** Notifies a user of a refund or dispute. Call it after the booking, in its transaction. */
export async function tellReversal(tx: Database, { userId, amount, reference }: Reversal): Promise<void> {
  const [row] = await tx.select({ balance: users.quota }).from(users).where(eq(users.id, userId));
  if (!row) return;
  await notify(tx, {
    userId,
    event: "payment_reversed",
    params: { amount, balance: row.balance },
    dedupeKey: reference,
  });
}

type Earning = {
  userId: number;
  inviteeId: number;
  event: "invitation_reward" | "dividend";
  amount: number;
  reference: string;
};

/** Notifies an inviter of earnings from an invitee. Call it in the transaction that books them. */
export async function tellEarning(
  tx: Database,
  { userId, inviteeId, event, amount, reference }: Earning,
): Promise<void> {
  const [row] = await tx.select({ username: users.username }).from(users).where(eq(users.id, inviteeId));
  const params = { amount, invitee: maskName(row?.username ?? String(inviteeId)) };
  await notify(tx, { userId, event, params, dedupeKey: `earning:${reference}` });
}

/** Notifies a user that the password was changed, and from which address. Call it in the transaction of the change. */
export async function tellPasswordChange(tx: Database, ctx: ServiceContext, userId: number): Promise<void> {
  await notify(tx, {
    userId,
    event: "password_changed",
    params: { clientIp: ctx.clientIp, at: nowSeconds() },
    dedupeKey: `password:${randomUUID()}`,
  });
}

/** Shortens a name so that only the inviter, who knows the person, recognises it. */
function maskName(name: string): string {
  const [first = "", ...rest] = [...name];
  return rest.length === 0 ? `${first}***` : `${first}***${rest.at(-1)}`;
}
