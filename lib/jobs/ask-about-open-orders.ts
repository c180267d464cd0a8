import type { Sql } from "@/db/client";
import { checkOpenOrders } from "@/lib/topup/open-order-commands";
import { checkReversals } from "@/lib/topup/reversal-poll-commands";

/** Asks payment providers about unpaid orders. */
export async function askAboutOpenOrders(sql: Sql): Promise<string> {
  const { asked, credited } = await checkOpenOrders(sql);
  return `${asked} asked about, ${credited} credited`;
}

/** Asks payment providers about refunds and disputes. */
export async function askAboutReversals(sql: Sql): Promise<string> {
  return `${await checkReversals(sql)} new`;
}
