import type { Sql } from "@/db/client";
import type { LeaseBook, Refusal, Reservation } from "@/lib/billing/lease";
import type { PriceRow } from "@/lib/billing/types";
import { readBalances } from "@/lib/snapshot/queries";
import { markTokenUsedUp } from "@/lib/token/state-commands";
import { dollars } from "../base/refusals/refusal-texts";
import { databaseAway, RelayError } from "../base/relay-error";
import type { Caller } from "./authenticate";
import type { Quote } from "./quote";

const RETRY_SECONDS = 5;

type Answer = Reservation | Refusal;
type Amounts = Pick<Quote, "amount" | "least" | "fair" | "most"> & { price?: Pick<PriceRow, "quotaPerUnit"> };

/**
 * Reserves what was quoted, or as much of it as there is; synchronously when this process holds enough quota. Throws or rejects with a RelayError
 * when the balance is too low.
 */
export function reserve(
  sql: Sql,
  leaseBook: LeaseBook,
  caller: Caller,
  { amount, least, fair, most, price }: Amounts,
): Reservation | Promise<Reservation> {
  const { token, user } = caller;
  const tokenId = token.unlimitedQuota ? null : token.id;
  const asked = leaseBook.reserve({ userId: user.id, tokenId, amount, least, fair, most });
  const isReserved = !(asked instanceof Promise) && !("refused" in asked);
  return isReserved ? asked : waitForAnswer(sql, caller, asked, needed(least, price));
}

/** What a request needs at least, in dollars; null = it is not known yet. */
function needed(least: number, price: Amounts["price"]): string | null {
  return price ? dollars(least, price.quotaPerUnit) : null;
}

async function waitForAnswer(
  sql: Sql,
  caller: Caller,
  asked: Answer | Promise<Answer>,
  least: string | null,
): Promise<Reservation> {
  let answer: Answer;
  try {
    answer = await asked;
  } catch (error) {
    throw databaseAway({ what: "nothing could be reserved", cause: error });
  }
  if (!("refused" in answer)) return answer;
  if (answer.isHeld) throw quotaHeld();
  throw answer.refused === "token" ? await tokenRefusal(sql, caller, least) : userRefusal(least);
}

/** The quota would suffice, but the caller's running requests hold the rest of it, or a process that died and is not swept yet. */
function quotaHeld(): RelayError {
  return new RelayError("quota_reserved", {}, { retryAfter: RETRY_SECONDS });
}

function userRefusal(needed: string | null): RelayError {
  return new RelayError("insufficient_quota", needed === null ? { text: "balanceUsedUp" } : { needed });
}

/** A token with no quota left gets 401 and is marked as exhausted; one with too little gets 429. */
async function tokenRefusal(sql: Sql, { token }: Caller, needed: string | null): Promise<RelayError> {
  const balances = await readBalances(sql, token).catch(() => null);
  if (balances && balances.remainQuota <= 0) {
    const unmarked = await markTokenUsedUp(sql, token).then(
      () => null,
      (error: unknown) => ({ what: "a key could not be marked as used up", cause: error }),
    );
    return new RelayError("api_key_used_up", { key: token.keyHint }, { trouble: unmarked });
  }
  const said = needed === null ? { text: "keyQuotaUsedUp" } : { needed };
  return new RelayError("pre_consume_token_quota_failed", said);
}
