import { eq, sql } from "drizzle-orm";
import type { Database } from "@/db/client";
import { users } from "@/db/schema";
import { postLedgerEntry } from "@/lib/billing/ledger";
import { tellEarning } from "@/lib/notify/account-commands";
import type { OptionValues } from "@/lib/option/registry";
import { LOG_TYPE } from "@/lib/row-status";
import { writeLogEvent } from "@/lib/usage-log/event-commands";
import { type FarmingSign, findFarmingSign, type Trace } from "./farming";
import { postAffiliateEntry } from "./ledger";
import { hasReachedDailyLimit, readTraces } from "./trace-queries";

export type Invitation = { inviterId: number; inviteeId: number; newcomer: Trace; options: OptionValues };

const SIGN_EVENTS: Record<FarmingSign, { event: string; because: string }> = {
  "daily-limit": { event: "invitationOverLimit", because: "已达到 24 小时内的奖励次数上限" },
  "same-address": { event: "invitationSameAddress", because: "与您或您邀请的其他用户来自同一网络地址" },
  "same-mailbox": { event: "invitationSameMailbox", because: "与您或您邀请的其他用户使用同一邮箱" },
};

/**
 * Rewards both sides of an invitation (contract §9.2), once per invitee, with log rows: QuotaForInvitee goes to the new
 * user's balance, QuotaForInviter to the inviter's pending earnings. A suspicious invitation is counted and logged but
 * not rewarded. Call it in the sign-up transaction, with the inviter's row locked and before the new user is stored as
 * an invitee.
 */
export async function rewardInvitation(tx: Database, invitation: Invitation): Promise<FarmingSign | null> {
  const { inviterId, inviteeId } = invitation;
  const sign = await judge(tx, invitation);
  await tx
    .update(users)
    .set({ affCount: sql`${users.affCount} + 1` })
    .where(eq(users.id, inviterId));
  await tx.update(users).set({ inviterId }).where(eq(users.id, inviteeId));
  if (sign === null) {
    await rewardInvitee(tx, invitation);
    await rewardInviter(tx, invitation);
  } else {
    await writeLogEvent(tx, {
      userId: inviterId,
      type: LOG_TYPE.system,
      event: SIGN_EVENTS[sign].event,
      params: { inviteeId },
      content: `邀请用户 ${inviteeId} 不计奖励：${SIGN_EVENTS[sign].because}`,
    });
  }
  return sign;
}

async function judge(tx: Database, { inviterId, newcomer, options }: Invitation): Promise<FarmingSign | null> {
  const { InvitationDailyLimit: limit, InvitationAddressCheckEnabled: checkAddresses } = options;
  if (limit > 0 && (await hasReachedDailyLimit(tx, inviterId, limit))) return "daily-limit";
  return findFarmingSign(newcomer, await readTraces(tx, inviterId), checkAddresses);
}

async function rewardInvitee(tx: Database, { inviterId, inviteeId, options }: Invitation): Promise<void> {
  const quota = options.QuotaForInvitee;
  if (quota === 0) return;
  await postLedgerEntry(tx, {
    userId: inviteeId,
    amount: quota,
    kind: "invitation",
    reference: `invitation:${inviteeId}`,
    actorId: null,
    note: `inviter ${inviterId}`,
  });
  await writeLogEvent(tx, {
    userId: inviteeId,
    type: LOG_TYPE.system,
    event: "inviteeReward",
    params: { quota },
    content: `使用邀请码赠送额度 ${quota}`,
    quota,
  });
}

/** Books an entry even when the reward is 0, so that the daily limit includes every invitation. */
async function rewardInviter(tx: Database, { inviterId, inviteeId, options }: Invitation): Promise<void> {
  const quota = options.QuotaForInviter;
  const booked = await postAffiliateEntry(tx, {
    userId: inviterId,
    inviteeId,
    kind: "invitation",
    amount: quota,
    reference: `invitation:${inviteeId}`,
  });
  if (!booked || quota === 0) return;
  await writeLogEvent(tx, {
    userId: inviterId,
    type: LOG_TYPE.system,
    event: "inviterReward",
    params: { quota, inviteeId },
    content: `邀请用户 ${inviteeId}，获得待使用收益 ${quota}`,
  });
  const reference = `invitation:${inviteeId}`;
  await tellEarning(tx, { userId: inviterId, inviteeId, event: "invitation_reward", amount: quota, reference });
}
