import type { Sql } from "@/db/client";
import type { LeaseBook, Refusal, Reservation } from "@/lib/billing/lease";
import type { PriceRow } from "@/lib/billing/types";
import { readBalances } from "@/lib/snapshot/queries";
import { markTokenUsedUp } from "@/lib/token/state-commands";
import { databaseAway, RelayError } from "../relay-error";
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
  const isHeld = !(asked instanceof Promise) && !("refused" in asked);
  return isHeld ? asked : waitForAnswer(sql, caller, asked, needed(least, price));
}

/** What a request needs at least, in dollars; "" = it is not known yet. */
function needed(least: number, price: Amounts["price"]): string {
  if (!price) return "";
  const digits = 10 ** NEEDED_DIGITS;
  const dollars = Math.ceil((least / price.quotaPerUnit) * digits) / digits;
  return `, which needs at least $${dollars.toFixed(NEEDED_DIGITS)}`;
}

const NEEDED_DIGITS = 6;

async function waitForAnswer(
  sql: Sql,
  caller: Caller,
  asked: Answer | Promise<Answer>,
  least: string,
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
  return new RelayError(503, "the balance is reserved by other requests at the moment, please try again", {
    code: "quota_reserved",
    isCallers: true,
    retryAfter: RETRY_SECONDS,
  });
}

function userRefusal(least: string): RelayError {
  return new RelayError(403, `the account's balance does not cover this request${least}`, {
    type: "insufficient_quota",
    code: "insufficient_user_quota",
  });
}

/** A token with no quota left gets 401 and is marked as exhausted; one with too little gets 403. */
async function tokenRefusal(sql: Sql, { token }: Caller, least: string): Promise<RelayError> {
  const balances = await readBalances(sql, token).catch(() => null);
  if (balances && balances.remainQuota <= 0) {
    const unmarked = await markTokenUsedUp(sql, token).then(
      () => null,
      (error: unknown) => ({ what: "a key could not be marked as used up", cause: error }),
    );
    return new RelayError(401, `the API key's spending limit is used up (${token.keyHint})`, {
      code: "invalid_api_key",
      trouble: unmarked,
    });
  }
  return new RelayError(403, `the API key's spending limit does not cover this request${least}`, {
    type: "insufficient_quota",
    code: "pre_consume_token_quota_failed",
  });
}
