import type { TransactionSql } from "postgres";
import type { Sql } from "@/db/client";
import { BALANCE_CHANNEL } from "@/lib/billing/balance-notice";
import { priceUsage } from "@/lib/billing/price";
import { type Quota, toQuota } from "@/lib/billing/quota";
import { bookSettlements } from "@/lib/billing/settlement-batch";
import { encodeSettlement } from "@/lib/billing/settlement-row";
import { NO_COST, NO_USAGE, type PriceRow } from "@/lib/billing/types";
import { nowSeconds } from "@/lib/clock";
import { logger } from "@/lib/logger";
import { type MeterUsage, quantityOf } from "@/lib/meters";
import { LOG_TYPE, TOKEN_STATUS } from "@/lib/row-status";
import { isFinal, type TaskState } from "../../answers/task";

const totals = { refunds: 0, quota: 0 };

/** To be called when it is committed. */
export function countRefund(quota: number): void {
  totals.refunds += 1;
  totals.quota += quota;
}

/** What this process gave back for tasks since its start. */
export function refundTotals(): Readonly<typeof totals> {
  return totals;
}

/** A task's row and its user. */
export type TaskName = { id: number; userId: number };

/** What a poll found out, within the bounds of the columns (boundState). */
export type FoundState = Omit<TaskState, "usage"> & { usage?: readonly MeterUsage[] | null };

type Stored = {
  id: number;
  taskId: string;
  action: string;
  status: string;
  userId: number;
  username: string | null;
  tokenId: number;
  tokenName: string;
  channelId: number;
  modelName: string;
  group: string;
  price: PriceRow | null;
  /** What was charged for when it was submitted. */
  meters: readonly MeterUsage[];
  quota: number;
};

/**
 * Stores a state. A final one ends the task, once, however often and by how many processes it is told: in the transaction
 * that refunds a failure, or adjusts the charge to what was used. False = it had ended before.
 */
export async function storeState(sql: Sql, named: TaskName, state: FoundState, isLogged: boolean): Promise<boolean> {
  let amount = 0;
  const isStored = await sql.begin(async (tx) => {
    const [task] = await tx<Stored[]>`
      select tasks.id, task_id as "taskId", action, tasks.status, tasks.user_id as "userId", users.username,
        token_id as "tokenId", coalesce(tokens.name, '') as "tokenName", channel_id as "channelId",
        model_name as "modelName", tasks."group", price, meters, tasks.quota
      from tasks left join users on users.id = tasks.user_id 
        left join tokens on tokens.id = token_id and tokens.user_id = tasks.user_id
      where tasks.id = ${named.id} and tasks.user_id = ${named.userId} and request_id is not null and tasks.status not in ('SUCCESS', 'FAILURE')
      for no key update of tasks`;
    if (!task) return false;
    await writeState(tx, named, state);
    if (isFinal(state.status)) amount = await settleEnd(tx, task, state, isLogged);
    return true;
  });
  if (amount < 0) countRefund(-amount);
  return isStored;
}

async function writeState(tx: TransactionSql, { id, userId }: TaskName, state: FoundState): Promise<void> {
  const now = nowSeconds();
  const isOver = isFinal(state.status);
  const finishTime = isOver ? (state.finishTime ?? 0) || now * 1_000 : (state.finishTime ?? null);
  const { results, data } = state;
  await tx`
    update tasks set status = ${state.status}, progress = coalesce(${isOver ? "100%" : (state.progress ?? null)}, progress),
      fail_reason = coalesce(${state.failReason ?? null}, fail_reason),
      prompt_en = coalesce(${state.promptEn ?? null}, prompt_en),
      description = coalesce(${state.description ?? null}, description),
      start_time = coalesce(${state.startTime ?? null}, start_time),
      finish_time = coalesce(${finishTime}, finish_time),
      results = coalesce(${results ? JSON.stringify(results) : null}::text::jsonb, results),
      data = coalesce(${data ? JSON.stringify(data) : null}::text::jsonb, data),
      updated_at = ${now}
    where id = ${id} and user_id = ${userId}`;
}

/** What the task costs at its end; null = what was charged. */
function finalQuota(task: Stored, { status, usage }: FoundState): Quota | null {
  if (status === "FAILURE") return toQuota(0);
  if (!task.price) return null;
  if (!usage || usage.length === 0) return asAsked(task, task.price);
  if (!isUsagePossible(usage, task.meters)) {
    logger.warn({ task: task.id, channel: task.channelId, usage }, "an upstream reported usage that cannot be true");
    return asAsked(task, task.price);
  }
  return priceUsage({ ...NO_USAGE, meters: usage }, task.price).quota;
}

/** Where the upstream named no dearer variant, what was charged in case of one is given back. */
function asAsked(task: Stored, price: PriceRow): Quota | null {
  const { quota } = priceUsage({ ...NO_USAGE, meters: task.meters }, price);
  return quota < task.quota ? quota : null;
}

/** By how much the charge changes. */
async function settleEnd(tx: TransactionSql, task: Stored, state: FoundState, isLogged: boolean): Promise<number> {
  const quota = finalQuota(task, state);
  const amount = quota === null ? 0 : quota - task.quota;
  // The balance of a user who is gone went with them.
  if (amount === 0 || task.username === null) return 0;
  await tx`update tasks set quota = ${quota} where id = ${task.id} and user_id = ${task.userId}`;
  await tx`
    insert into task_movements (reference, task, user_id, amount)
    values (${`end:${task.id}`}, ${task.id}, ${task.userId}, ${amount})`;
  await bookSettlements(tx, null, [encodeSettlement(endSettlement(task, state, amount, isLogged))]);
  if (amount < 0) await wakeToken(tx, task);
  else await tx`select pg_notify(${BALANCE_CHANNEL}, ${`${task.userId}:0:`})`;
  return amount;
}

/** A refund is consumption that is taken back: balance, token, counters and hours have it as what it was charged as. */
function endSettlement(task: Stored, state: FoundState, amount: number, isLogged: boolean) {
  const isRefund = state.status === "FAILURE";
  const meters = state.usage;
  return {
    requestId: `end:${task.id}`,
    createdAt: nowSeconds(),
    type: LOG_TYPE.system,
    userId: task.userId,
    username: task.username ?? "",
    tokenId: task.tokenId,
    tokenName: task.tokenName,
    channelId: task.channelId,
    modelName: task.modelName,
    group: task.group,
    usage: NO_USAGE,
    quota: amount as Quota,
    cost: NO_COST,
    useTimeMs: 0,
    firstTokenMs: null,
    isStream: false,
    reservation: null,
    content: isRefund
      ? `task ${task.taskId} (${task.action}) failed; ${-amount} refunded: ${state.failReason ?? ""}`
      : `task ${task.taskId} (${task.action}) used a different amount than was charged; ${amount} added`,
    other: {
      event: isRefund ? "taskRefunded" : amount > 0 ? "taskAdjustedUp" : "taskAdjustedDown",
      params: { task: task.taskId, action: task.action, quota: Math.abs(amount) },
      task: task.taskId,
      ...(meters && meters.length > 0 ? { meters } : {}),
      ...(amount > 0 ? { beyond_reservation: amount } : {}),
    },
    clientIp: "",
    hidden: !isLogged,
  };
}

/** A token that had nothing left has something again. */
async function wakeToken(tx: TransactionSql, { tokenId, userId }: Stored): Promise<void> {
  await tx`
    update tokens set status = ${TOKEN_STATUS.enabled}
    where id = ${tokenId} and user_id = ${userId} and status = ${TOKEN_STATUS.exhausted} and (unlimited_quota or remain_quota > 0)`;
}

/** An upstream may make more than was asked for, but not any amount of it. */
const TIMES_MAX = 2;
/** As long as any video that a maker makes where it chooses the length itself. */
const SECONDS_ALWAYS = 30;

/**
 * Whether a task can have used what its upstream reports, after it was charged for `asked`. Nothing at all is not used by a
 * task that succeeded; a meter that was not asked for is believed.
 */
function isUsagePossible(reported: readonly MeterUsage[], asked: readonly MeterUsage[]): boolean {
  if (!reported.every((usage) => quantityOf(usage) > 0)) return false;
  return reported.every(({ meter }) => {
    const most = TIMES_MAX * sumOf(asked, meter);
    return most === 0 || sumOf(reported, meter) <= Math.max(most, meter === "second" ? SECONDS_ALWAYS : 0);
  });
}

function sumOf(usage: readonly MeterUsage[], of: MeterUsage["meter"]): number {
  return usage.reduce((sum, { meter, quantity }) => (meter === of ? sum + quantity : sum), 0);
}
