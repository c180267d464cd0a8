import { type Database, databaseOf, type Sql } from "@/db/client";
import { nowSeconds } from "@/lib/clock";
import { logger } from "@/lib/logger";
import { loadOptions } from "@/lib/option/queries";
import { creditReported } from "./callback-commands";
import { type EpayMerchant, epayMerchant } from "./epay";
import { askEpay } from "./epay-query";
import { askStripe, type StripeAccount, stripeAccount } from "./stripe";
import { ORDER_STATUS, type PaymentProvider } from "./types";

/** Orders asked about in one run, and of one buyer: nobody can keep others' orders waiting with unpaid ones. */
const ORDERS_MAX = 20;
const ORDERS_PER_BUYER_MAX = 3;
/** The first question; each further one waits as long as the order has existed. */
const FIRST_AFTER_SECONDS = 60;
const AGE_MAX_SECONDS = 3 * 86_400;

type OpenOrder = { tradeNo: string; provider: PaymentProvider; providerReference: string };
type Providers = { epay: EpayMerchant | null; stripe: StripeAccount | null };

/**
 * Asks the payment providers about orders whose payment nobody has reported, and credits the paid ones as their report
 * would have: checked the same way, and exactly once, whichever comes first. Returns how many were asked about and how
 * many credited.
 */
export async function checkOpenOrders(sql: Sql): Promise<{ asked: number; credited: number }> {
  const db = databaseOf(sql);
  const options = await loadOptions(db);
  const providers: Providers = { epay: epayMerchant(options), stripe: stripeAccount(options) };
  const silent = new Set<PaymentProvider>();
  const result = { asked: 0, credited: 0 };
  for (const order of await takeDue(sql, providers)) {
    // The others of a provider that does not answer wait for their next turn.
    if (silent.has(order.provider)) continue;
    result.asked += 1;
    try {
      if (await checkOrder(db, order, providers)) result.credited += 1;
    } catch (error) {
      silent.add(order.provider);
      logger.warn(
        { err: error, tradeNo: order.tradeNo, provider: order.provider },
        "an order could not be asked about",
      );
    }
  }
  return result;
}

/** Notes the question before it is asked, so that a crash repeats none of them at once. */
function takeDue(sql: Sql, providers: Providers): Promise<OpenOrder[]> {
  const configured = Object.entries(providers).flatMap(([name, account]) => (account ? [name] : []));
  const now = nowSeconds();
  return sql<OpenOrder[]>`
    update top_ups set checked_time = ${now}
    where id in (
      select id from (
        select id, checked_time, row_number() over (partition by user_id order by checked_time, id desc) as place
        from top_ups
        where create_time between ${now - AGE_MAX_SECONDS} and ${now - FIRST_AFTER_SECONDS}
          and status <> ${ORDER_STATUS.success} and provider = any(${configured})
          and ${now} >= 2 * greatest(checked_time, create_time) - create_time) as due
      where place <= ${ORDERS_PER_BUYER_MAX} order by checked_time, id desc limit ${ORDERS_MAX})
    returning trade_no as "tradeNo", provider, provider_reference as "providerReference"`;
}

async function checkOrder(db: Database, order: OpenOrder, { epay, stripe }: Providers): Promise<boolean> {
  const { tradeNo, provider, providerReference } = order;
  const paid =
    provider === "epay"
      ? epay && (await askEpay(epay, tradeNo))
      : stripe && providerReference !== "" && (await askStripe(stripe, providerReference));
  if (!paid) return false;
  const received = { provider, eventId: `query:${tradeNo}`, tradeNo, payload: { source: "query" }, clientIp: "" };
  return creditReported(db, received, { ...paid, tradeNo: paid.tradeNo });
}
