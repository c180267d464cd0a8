import { randomUUID } from "node:crypto";
import { and, eq, isNull } from "drizzle-orm";
import { z } from "zod";
import type { Database } from "@/db/client";
import { users } from "@/db/schema";
import { isUniqueViolation } from "@/db/sql-state";
import { writeAudit } from "@/lib/audit/commands";
import { postLedgerEntry } from "@/lib/billing/ledger";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { randomAlphanumeric } from "@/lib/crypto";
import { AppError } from "@/lib/errors";
import { tellEarning } from "@/lib/notify/account-commands";
import { loadOptions } from "@/lib/option/queries";
import { LOG_TYPE, USER_STATUS } from "@/lib/row-status";
import { writeLogEvent } from "@/lib/usage-log/event-commands";
import { parseInput } from "@/lib/validation";
import { postAffiliateEntry } from "./ledger";

export const transferEarningsSchema = z.object({
  /** In quota; at least QuotaPerUnit. */
  quota: z.number("transferInvalid").int("transferInvalid").min(1, "transferInvalid"),
});
type TransferEarningsInput = z.input<typeof transferEarningsSchema>;

const CODE_LENGTH = 4;
const TRIES_PER_LENGTH = 8;
const CODE_LENGTH_MAX = 8;
const PERCENT_STEPS = 10_000;

/** The current user's invite code: 4 characters, created on the first call and then never changed (contract §1.6). */
export async function ensureInviteCode(ctx: ServiceContext): Promise<string> {
  const actor = requireRole(ctx, ROLE.user);
  // Short codes start to collide when most are taken, so try longer ones.
  for (let length = CODE_LENGTH; length <= CODE_LENGTH_MAX; length++) {
    for (let attempt = 0; attempt < TRIES_PER_LENGTH; attempt++) {
      const code = await readOrSetCode(ctx.db, actor.id, randomAlphanumeric(length));
      if (code !== null) return code;
    }
  }
  throw new Error("no free invite code found");
}

/** Stores the candidate if the user has no code. Returns the user's code, or null when another user has the candidate. */
async function readOrSetCode(db: Database, userId: number, candidate: string): Promise<string | null> {
  const [present] = await db.select({ code: users.affCode }).from(users).where(eq(users.id, userId));
  if (!present) throw new AppError("not_found", "userNotFound");
  if (present.code) return present.code;
  const [taken] = await db.select({ id: users.id }).from(users).where(eq(users.affCode, candidate));
  if (taken) return null;
  try {
    const [row] = await db
      .update(users)
      .set({ affCode: candidate })
      .where(and(eq(users.id, userId), isNull(users.affCode)))
      .returning({ code: users.affCode });
    return row?.code ?? null;
  } catch (error) {
    // Another user took the candidate between the read and the write.
    if (isUniqueViolation(error)) return null;
    throw error;
  }
}

/**
 * Moves pending earnings of the current user to the balance, in one transaction. Throws invalid below QuotaPerUnit and
 * conflict above the pending amount; nothing is changed then.
 */
export async function transferEarnings(ctx: ServiceContext, input: TransferEarningsInput): Promise<{ quota: number }> {
  const actor = requireRole(ctx, ROLE.user);
  const { quota } = parseInput(transferEarningsSchema, input);
  const minimum = Math.ceil((await loadOptions(ctx.db)).QuotaPerUnit);
  if (quota < minimum) throw new AppError("invalid", "transferMinimum", { minimum });
  await ctx.db.transaction(async (tx) => {
    const reference = `transfer:${randomUUID()}`;
    await postAffiliateEntry(tx, { userId: actor.id, inviteeId: null, kind: "transfer", amount: -quota, reference });
    await postLedgerEntry(tx, { userId: actor.id, amount: quota, kind: "transfer", reference, actorId: actor.id });
    await writeLogEvent(tx, {
      userId: actor.id,
      type: LOG_TYPE.system,
      event: "earningsTransferred",
      params: { quota },
      content: `邀请收益划转到余额 ${quota}`,
      quota,
    });
    await writeAudit(tx, ctx, { action: "affiliate.transfer", subject: `user:${actor.id}`, after: { quota } });
  });
  return { quota };
}

/**
 * Credits the inviter of a paying user with a share of the top-up (AffiliateDividendPercent, rounded down) as pending
 * earnings. `quota` is the credited amount. Call it in the transaction that books the top-up; a second call for the
 * same top-up changes nothing. Returns the inviter's share; 0 without an enabled inviter.
 */
export async function payDividend(
  tx: Database,
  topUp: { topUpId: number; inviteeId: number; quota: number },
): Promise<number> {
  const { topUpId, inviteeId, quota } = topUp;
  const amount = shareOf(quota, (await loadOptions(tx)).AffiliateDividendPercent);
  if (amount === 0) return 0;
  const inviterId = await findInviter(tx, inviteeId);
  if (inviterId === null) return 0;
  const reference = `dividend:${topUpId}`;
  const booked = await postAffiliateEntry(tx, { userId: inviterId, inviteeId, kind: "dividend", amount, reference });
  if (!booked) return 0;
  await writeLogEvent(tx, {
    userId: inviterId,
    type: LOG_TYPE.system,
    event: "dividend",
    params: { quota: amount, inviteeId },
    content: `您邀请的用户 ${inviteeId} 完成充值，返利 ${amount} 计入待使用收益`,
  });
  await tellEarning(tx, { userId: inviterId, inviteeId, event: "dividend", amount, reference });
  return amount;
}

/** Integer arithmetic only: at most two decimals of the percentage are used. */
function shareOf(quota: number, percent: number): number {
  if (!Number.isSafeInteger(quota) || quota < 0) throw new RangeError(`not a credited quota: ${quota}`);
  const steps = BigInt(Math.round((percent * PERCENT_STEPS) / 100));
  return Number((BigInt(quota) * steps) / BigInt(PERCENT_STEPS));
}

async function findInviter(tx: Database, inviteeId: number): Promise<number | null> {
  const [invitee] = await tx.select({ inviterId: users.inviterId }).from(users).where(eq(users.id, inviteeId));
  if (!invitee?.inviterId) return null;
  const [inviter] = await tx
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, invitee.inviterId), eq(users.status, USER_STATUS.enabled), isNull(users.deletedAt)));
  return inviter?.id ?? null;
}
