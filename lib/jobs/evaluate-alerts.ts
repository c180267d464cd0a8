import type { Sql } from "@/db/client";
import { evaluateAlerts, removeOldFirings } from "@/lib/alert/evaluate-commands";
import { nowSeconds } from "@/lib/clock";

/** Evaluates the alert rules that are due. */
export async function watchAlerts(sql: Sql): Promise<string> {
  return `${await evaluateAlerts(sql, nowSeconds())} rules`;
}

/** Removes the history of alerts that is too old. */
export async function cleanAlerts(sql: Sql): Promise<string> {
  return `${await removeOldFirings(sql, nowSeconds())} firings`;
}
