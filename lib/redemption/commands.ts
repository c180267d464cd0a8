import { randomBytes } from "node:crypto";
import { and, eq, gt, inArray, isNull, or, sql } from "drizzle-orm";
import type { Database } from "@/db/client";
import { redemptions } from "@/db/schema";
import { writeAudit, writeAudits } from "@/lib/audit/commands";
import { incrementCounter } from "@/lib/auth/commands";
import { spendOnce } from "@/lib/auth/one-time-secret/commands";
import { postLedgerEntry } from "@/lib/billing/ledger";
import { nowSeconds } from "@/lib/clock";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { tellCredit } from "@/lib/notify/account-commands";
import { LOG_TYPE, REDEMPTION_STATUS } from "@/lib/row-status";
import { refuseChanged } from "@/lib/seen";
import { writeLogEvent } from "@/lib/usage-log/event-commands";
import { parseInput } from "@/lib/validation";
import { isLive, redemptionFields } from "./queries";
import {
  type CreateRedemptionsInput,
  createRedemptionsSchema,
  type RedemptionStatusInput,
  redeemSchema,
  redemptionIdsSchema,
  redemptionStatusSchema,
  type UpdateRedemptionInput,
  updateRedemptionSchema,
} from "./schemas";
import { isExpired, type Redemption } from "./types";

/** Wrong codes per account in ten minutes: enough for typing errors, useless for guessing. */
const WRONG_CODES_MAX = 20;
const WRONG_CODES_WINDOW_SECONDS = 600;
/** For so long a form may send again what it got no answer to. */
const MADE_KEPT_SECONDS = 7 * 86_400;

/**
 * Creates `count` codes of `quota` each and returns them; all or none (administrators). Throws conflict where they were made before
 * and the answer was lost.
 */
export async function createRedemptions(ctx: ServiceContext, input: CreateRedemptionsInput): Promise<string[]> {
  const actor = requireRole(ctx, ROLE.admin);
  const { name, quota, count, expiredTime, changeId } = parseInput(createRedemptionsSchema, input);
  assertAhead(expiredTime);
  const keys = Array.from({ length: count }, () => randomBytes(16).toString("hex"));
  await ctx.db.transaction(async (tx) => {
    if (changeId !== undefined) await refuseMadeBefore(tx, `${actor.id}:${changeId}`);
    await tx.insert(redemptions).values(keys.map((key) => ({ userId: actor.id, key, name, quota, expiredTime })));
    const after = { name, quota, count, ...(expiredTime === 0 ? {} : { expiredTime }) };
    await writeAudit(tx, ctx, { action: "redemption.create", subject: "redemption", after });
  });
  return keys;
}

async function refuseMadeBefore(tx: Database, subject: string): Promise<void> {
  const isFirst = await spendOnce(tx, { kind: "codes-made", subject, lifetimeSeconds: MADE_KEPT_SECONDS });
  if (!isFirst) throw new AppError("conflict", "redemptionsMadeBefore");
}

/** Whether a code's time is over. */
function assertAhead(expiredTime: number): void {
  if (isExpired({ expiredTime })) throw new AppError("invalid", "redemptionExpiryPast", { field: "expiredTime" });
}

/** Changes name, amount or expiry of an unused code (administrators). Throws invalid, not_found or conflict. */
export async function updateRedemption(ctx: ServiceContext, input: UpdateRedemptionInput): Promise<Redemption> {
  requireRole(ctx, ROLE.admin);
  const { id, statusSeen, seen, ...given } = parseInput(updateRedemptionSchema, input);
  const changes = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return ctx.db.transaction(async (tx) => {
    const [before] = await tx.select(redemptionFields).from(redemptions).where(isLive(id)).for("update");
    // A row that is sent back whole may be one of a code that has expired since.
    if (before && given.expiredTime !== undefined && given.expiredTime !== before.expiredTime)
      assertAhead(given.expiredTime);
    if (before && statusSeen !== undefined && isDisabled(statusSeen) !== isDisabled(before.status)) {
      throw new AppError("invalid", "statusAlone", { field: "status" });
    }
    if (before) refuseChanged(before, changes, seen);
    return change(tx, ctx, id, changes, "redemption.update");
  });
}

const isDisabled = (status: number) => status === REDEMPTION_STATUS.disabled;

/** Disables or enables an unused code (administrators). A used one stays used (contract §12 no. 17). */
export async function setRedemptionStatus(ctx: ServiceContext, input: RedemptionStatusInput): Promise<Redemption> {
  requireRole(ctx, ROLE.admin);
  const { id, status } = parseInput(redemptionStatusSchema, input);
  return ctx.db.transaction((tx) => change(tx, ctx, id, { status }, "redemption.status"));
}

async function change(
  tx: Database,
  ctx: ServiceContext,
  id: number,
  changes: Partial<Pick<Redemption, "name" | "quota" | "status" | "expiredTime">>,
  action: string,
): Promise<Redemption> {
  const [before] = await tx.select(redemptionFields).from(redemptions).where(isLive(id)).for("update");
  if (!before) throw new AppError("not_found", "redemptionNotFound");
  if (before.status === REDEMPTION_STATUS.used) throw new AppError("conflict", "redemptionUsed");
  if (Object.keys(changes).length === 0) return before;
  const [row] = await tx.update(redemptions).set(changes).where(isLive(id)).returning(redemptionFields);
  if (!row) throw new AppError("not_found", "redemptionNotFound");
  const state = ({ name, quota, status, expiredTime }: Redemption) => ({ name, quota, status, expiredTime });
  await writeAudit(tx, ctx, { action, subject: `redemption:${id}`, before: state(before), after: state(row) });
  return row;
}

/** Deletes a code (administrators); what it credited stays in the ledger. */
export async function deleteRedemption(ctx: ServiceContext, id: number): Promise<void> {
  requireRole(ctx, ROLE.admin);
  await ctx.db.transaction(async (tx) => {
    const rows = await tx
      .update(redemptions)
      .set({ deletedAt: sql`now()` })
      .where(isLive(id))
      .returning({ name: redemptions.name, status: redemptions.status });
    const [before] = rows;
    if (!before) throw new AppError("not_found", "redemptionNotFound");
    await writeAudit(tx, ctx, { action: "redemption.delete", subject: `redemption:${id}`, before });
  });
}

/**
 * The full codes of these rows, in the given order, to hand them out (administrators). The access is recorded in the
 * audit log. Deleted rows are left out.
 */
export async function revealRedemptions(
  ctx: ServiceContext,
  input: { ids: number[] },
): Promise<{ id: number; name: string; key: string }[]> {
  requireRole(ctx, ROLE.admin);
  const { ids } = parseInput(redemptionIdsSchema, input);
  const rows = await ctx.db
    .select({ id: redemptions.id, name: redemptions.name, key: redemptions.key })
    .from(redemptions)
    .where(and(inArray(redemptions.id, ids), isNull(redemptions.deletedAt)));
  await writeAudits(
    ctx.db,
    ctx,
    rows.map(({ id, name }) => ({ action: "redemption.reveal", subject: `redemption:${id}`, after: { name } })),
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/**
 * Redeems a code for the current user and returns the credited amount. Only one of several parallel attempts succeeds:
 * a conditional update in the transaction of the credit marks the code as used (contract §10.4). Throws invalid for an
 * unknown code, conflict for a used or disabled one, rate_limited after too many wrong ones.
 */
export async function redeem(ctx: ServiceContext, input: { key: string }): Promise<number> {
  const actor = requireRole(ctx, ROLE.user);
  const { key } = parseInput(redeemSchema, input);
  const taken = await ctx.db.transaction(async (tx) => {
    const [code] = await tx
      .update(redemptions)
      .set({ status: REDEMPTION_STATUS.used, usedUserId: actor.id, redeemedTime: nowSeconds() })
      .where(
        and(
          eq(redemptions.key, key),
          eq(redemptions.status, REDEMPTION_STATUS.unused),
          isNull(redemptions.deletedAt),
          or(eq(redemptions.expiredTime, 0), gt(redemptions.expiredTime, nowSeconds())),
        ),
      )
      .returning({ id: redemptions.id, quota: redemptions.quota, name: redemptions.name });
    if (!code) return null;
    const reference = `redemption:${code.id}`;
    const { quota } = code;
    await postLedgerEntry(tx, { userId: actor.id, amount: quota, kind: "redemption", reference, actorId: actor.id });
    await writeLogEvent(tx, {
      userId: actor.id,
      type: LOG_TYPE.topup,
      event: "redeemed",
      params: { quota, code: code.id },
      content: `通过兑换码充值 ${quota}，兑换码 ID ${code.id}`,
      quota,
    });
    await tellCredit(tx, { userId: actor.id, event: "code_redeemed", amount: quota, reference });
    return quota;
  });
  if (taken !== null) return taken;
  await refuseCode(ctx, actor.id, key);
  throw new AppError("invalid", "redemptionCodeInvalid");
}

async function refuseCode(ctx: ServiceContext, userId: number, key: string): Promise<void> {
  const { count } = await incrementCounter(ctx.db, `redeem:${userId}`, WRONG_CODES_WINDOW_SECONDS);
  if (count > WRONG_CODES_MAX) throw new AppError("rate_limited", "tooManyRequests");
  const [code] = await ctx.db
    .select({ status: redemptions.status, expiredTime: redemptions.expiredTime })
    .from(redemptions)
    .where(and(eq(redemptions.key, key), isNull(redemptions.deletedAt)));
  if (code?.status === REDEMPTION_STATUS.used) throw new AppError("conflict", "redemptionCodeUsed");
  if (code && isExpired(code)) throw new AppError("conflict", "redemptionCodeExpired");
}
