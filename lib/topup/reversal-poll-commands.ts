import { and, eq, inArray, ne } from "drizzle-orm";
import type Stripe from "stripe";
import { type Database, databaseOf, type Sql } from "@/db/client";
import { paymentCallbacks } from "@/db/schema";
import { nowSeconds } from "@/lib/clock";
import { loadOptions } from "@/lib/option/queries";
import { receiveStripeEvent } from "./callback-commands";
import { listStripeEvents, type StripeAccount, stripeAccount } from "./stripe";
import { STRIPE_REVERSALS } from "./stripe-events";

/** Name in job_positions: events before it have been asked for. */
const POSITION = "stripe-reversals";
/** What the first question looks back, as for payments. */
const FIRST_SECONDS = 3 * 86_400;
/** Events are asked for again for so long, because Stripe lists some late, and the webhook may be about to bring them. */
const OVERLAP_SECONDS = 600;
/** At most so much time, and so many events, in one run; the next one goes on from there. */
const SPAN_SECONDS = 4 * 86_400;
const EVENTS_MAX = 2_000;

/**
 * Asks Stripe for refunds and disputes that no webhook has brought, and books them as their call would have: each once,
 * whichever comes first. Returns how many were new.
 */
export async function checkReversals(sql: Sql): Promise<number> {
  const db = databaseOf(sql);
  const account = stripeAccount(await loadOptions(db));
  if (!account) return 0;
  const now = nowSeconds();
  const [row] = await sql<{ position: number }[]>`select position from job_positions where job = ${POSITION}`;
  const from = (row?.position ?? now - FIRST_SECONDS) - OVERLAP_SECONDS;
  const { events, until } = await listPart(account, from, Math.min(now, from + SPAN_SECONDS));
  const fresh = await withoutBooked(db, events);
  for (const event of fresh) await receiveStripeEvent(db, account, event, "");
  await sql`
    insert into job_positions (job, position) values (${POSITION}, ${until})
    on conflict (job) do update set position = excluded.position, updated_at = ${now}`;
  return fresh.length;
}

/** The events of a beginning of this time that is short enough to have them all: Stripe lists the newest first. */
async function listPart(
  account: StripeAccount,
  from: number,
  until: number,
): Promise<{ events: Stripe.Event[]; until: number }> {
  const types = STRIPE_REVERSALS;
  const { events, isWhole } = await listStripeEvents(account, { types, from, until, max: EVENTS_MAX });
  if (isWhole || until - from < 2) return { events, until };
  return listPart(account, from, from + Math.floor((until - from) / 2));
}

/** Those that failed are tried again. */
async function withoutBooked<Event extends { id: string }>(db: Database, events: readonly Event[]): Promise<Event[]> {
  const ids = events.map(({ id }) => id);
  if (ids.length === 0) return [];
  const rows = await db
    .select({ id: paymentCallbacks.eventId })
    .from(paymentCallbacks)
    .where(
      and(
        eq(paymentCallbacks.provider, "stripe"),
        inArray(paymentCallbacks.eventId, ids),
        ne(paymentCallbacks.outcome, "failed"),
      ),
    );
  const booked = new Set(rows.map(({ id }) => id));
  return events.filter(({ id }) => !booked.has(id));
}
