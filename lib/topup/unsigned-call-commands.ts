import { and, eq, lt, sql } from "drizzle-orm";
import type { Database } from "@/db/client";
import { paymentCallbacks } from "@/db/schema";
import { nowSeconds } from "@/lib/clock";
import { notifyRoots } from "@/lib/notify/notify-commands";
import { addressKey, createRateWindow } from "@/lib/rate-window";
import type { PaymentProvider } from "./types";

/** `id`, `type`: what the call says of itself. */
type UnsignedCall = { provider: PaymentProvider; id: string; type: string; clientIp: string };

/** Anybody can send such calls: so many are kept in all, from one address, and for so long. */
const KEPT_MAX = 200;
const KEPT_PER_ADDRESS = 20;
const KEPT_SECONDS = 30 * 86_400;
const PER_MINUTE = 10;
const FIELD_MAX = 100;
const REASON = "wrong signature";
const recent = createRateWindow();

/**
 * Keeps a call whose signature is wrong, by what it says of itself, and tells root: the secret may be mistyped. Nothing of
 * it is believed.
 */
export async function keepUnsigned(db: Database, { provider, id, type, clientIp }: UnsignedCall): Promise<void> {
  if (recent.add(provider, PER_MINUTE, 60) > 0) return;
  const address = addressKey(clientIp).slice(0, 64);
  const isUnsigned = and(eq(paymentCallbacks.outcome, "refused"), eq(paymentCallbacks.reason, REASON));
  await db.delete(paymentCallbacks).where(and(isUnsigned, lt(paymentCallbacks.createdAt, nowSeconds() - KEPT_SECONDS)));
  const payload = JSON.stringify({ type: plain(type), id: plain(id) });
  await db.execute(sql`
    insert into payment_callbacks (provider, event_id, payload, outcome, reason, client_ip, handled_at)
    select ${provider}, ${`unsigned:${plain(id) || address}`}, ${payload}::text::jsonb, 'refused', ${REASON}, ${address}, ${nowSeconds()}
    where (select count(*) < ${KEPT_MAX} and count(*) filter (where client_ip = ${address}) < ${KEPT_PER_ADDRESS}
      from payment_callbacks where ${isUnsigned})
    on conflict (provider, event_id) do update set attempts = payment_callbacks.attempts + 1`);
  const params = { provider, clientIp: address };
  await notifyRoots(db, { event: "payment_call_unsigned", params, dedupeKey: `unsigned:${provider}` });
}

/** Ids and types of providers have no other characters. */
function plain(text: string): string {
  return text.replace(/[^\w.:-]/g, "").slice(0, FIELD_MAX);
}
