import type { Sql } from "@/db/client";
import { deliverDue } from "@/lib/notify/deliver";
import { mailerOf, removeOldNotifications } from "@/lib/notify/delivery-commands";
import { notifyLowBalances } from "@/lib/notify/low-balance-commands";

export async function deliverNotifications(sql: Sql): Promise<string> {
  return `${await deliverDue(sql, mailerOf(sql))} deliveries`;
}

/** Notifies users whose balance is below their threshold. */
export async function warnOfLowBalances(sql: Sql): Promise<string> {
  return `${await notifyLowBalances(sql)} told`;
}

/** Removes old notifications. */
export async function cleanNotifications(sql: Sql): Promise<string> {
  return `${await removeOldNotifications(sql)} removed`;
}
