import type { Sql } from "@/db/client";
import { expireOrdersBy } from "@/lib/topup/order-commands";

export async function expireUnpaidOrders(sql: Sql): Promise<string> {
  return `${await expireOrdersBy(sql)} given up`;
}
