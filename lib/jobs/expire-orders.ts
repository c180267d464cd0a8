import { databaseOf, type Sql } from "@/db/client";
import { expireOrders } from "@/lib/topup/order-commands";

/** Gives up purchases that nobody paid for. */
export async function expireUnpaidOrders(sql: Sql): Promise<string> {
  return `${await expireOrders(databaseOf(sql))} given up`;
}
