import type { Sql } from "@/db/client";
import { retryRefused } from "@/lib/billing/refused-commands";
import { createSettlementStore } from "@/lib/billing/settlement-batch";

/** Tries to book charges again that PostgreSQL refused: what was wrong may have been put right. */
export async function bookRefusedCharges(sql: Sql): Promise<string> {
  const { booked, refused } = await retryRefused(sql, createSettlementStore(sql));
  return `${booked} booked, ${refused} still refused`;
}
