import type { Sql } from "@/db/client";
import { nowSeconds } from "@/lib/clock";
import { warnOfBudgets as warnOfSpentBudgets } from "@/lib/notify/budget-warning-commands";
import { deliverDue } from "@/lib/notify/deliver";
import { mailerOf, removeOldNotifications } from "@/lib/notify/delivery-commands";
import { warnOfExpiry } from "@/lib/notify/key-expiry-commands";
import { notifyLowBalances } from "@/lib/notify/low-balance-commands";

export async function deliverNotifications(sql: Sql): Promise<string> {
  return `${await deliverDue(sql, mailerOf(sql))} deliveries`;
}

/** Notifies users whose balance is below their threshold. */
export async function warnOfLowBalances(sql: Sql): Promise<string> {
  return `${await notifyLowBalances(sql)} told`;
}

/** Warns the owners of budgets that are nearly spent. */
export async function warnOfBudgets(sql: Sql): Promise<string> {
  return `${await warnOfSpentBudgets(sql, nowSeconds())} warned`;
}

/** Warns the owners of keys that expire soon. */
export async function warnOfExpiringKeys(sql: Sql): Promise<string> {
  return `${await warnOfExpiry(sql, nowSeconds())} warned`;
}

/** Removes old notifications. */
export async function cleanNotifications(sql: Sql): Promise<string> {
  return `${await removeOldNotifications(sql)} removed`;
}
