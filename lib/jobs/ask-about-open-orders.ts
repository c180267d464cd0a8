import type { Sql } from "@/db/client";
import { checkOpenOrders } from "@/lib/topup/open-order-commands";

/** Asks payment providers about unpaid orders. */
export async function askAboutOpenOrders(sql: Sql): Promise<string> {
  const { asked, credited } = await checkOpenOrders(sql);
  return `${asked} asked about, ${credited} credited`;
}
