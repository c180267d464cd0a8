import type { LedgerMovement } from "./queries";
import type { TopUp } from "./types";

export function toWireTopUp(order: TopUp) {
  return {
    id: order.id,
    user_id: order.userId,
    username: order.username,
    amount: order.amount,
    money: order.money,
    currency: order.currency,
    quota: order.quota,
    refunded: order.refunded,
    trade_no: order.tradeNo,
    provider: order.provider,
    payment_method: order.paymentMethod,
    status: order.status,
    create_time: order.createTime,
    complete_time: order.completeTime,
  };
}

export function toWireLedger(entry: LedgerMovement) {
  return {
    id: entry.id,
    user_id: entry.userId,
    amount: entry.amount,
    kind: entry.kind,
    reference: entry.reference,
    note: entry.note,
    created_at: entry.createdAt,
  };
}
