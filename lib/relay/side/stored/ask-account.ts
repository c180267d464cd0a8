import type { OptionValues } from "@/lib/option/registry";
import type { Opened, StoredAnswer, StoredForm } from "../../answers/stored-answer";
import { classifyFailure } from "../../base/classify-failure";
import { passedOn } from "../../base/relay-error";
import { runAttempt } from "../../http/attempt/attempt";
import type { AttemptEnd } from "../../http/attempt/attempt-end";
import { type AttemptSettings, type Budget, NOBODY } from "../../http/attempt/attempt-settings";
import { timeLimitsOf } from "../../http/attempt/time-limits";
import type { Exchange } from "../../http/exchange";
import type { Pools } from "../../net/pools";
import { NO_DRAINS } from "../../net/upstream-drains";
import { readFailure, setupFailure } from "../../pipeline/attempt-failures";
import type { UpstreamRequest } from "../../providers/requests/upstream-request";
import { rows } from "../../providers/rows";
import type { Account } from "./account";
import { type AccountAsk, prepareAsk } from "./prepare-ask";

export type AccountRequest = AccountAsk & { form: StoredForm };

export type AccountNeeds = { pools: Pools; options: OptionValues };

/** How it ended. Null = nothing more is to be sent: the caller has its error, or has left. */
export type AccountEnd = StoredAnswer | "cut" | null;

const NO_BUDGET: Budget = { checkAt: Number.POSITIVE_INFINITY, check: () => "go", follow: () => {} };

/**
 * Asks the account, and passes on what is streamed. Nobody else has the object, so that no other is asked; a request that
 * met a connection which was just being closed goes out again.
 */
export async function askAccount(
  needs: AccountNeeds,
  exchange: Exchange,
  account: Account,
  asked: AccountRequest,
  opened: Opened = { answer: null },
): Promise<AccountEnd> {
  const prepared = await prepare(needs, account, asked, opened);
  if ("kind" in prepared) return refuse(exchange, account, prepared);
  const { request } = prepared;
  const run = (isFresh: boolean) => runAttempt(attemptOf(needs, exchange, account, asked, { request, isFresh }));
  let end = await run(false);
  if (end.kind === "unreachable" && end.isStale) end = await run(true);
  return read(exchange, account, end, opened);
}

async function prepare({ options }: AccountNeeds, account: Account, asked: AccountRequest, opened: Opened) {
  try {
    return { request: await prepareAsk(options, account, asked, asked.form, opened) };
  } catch (error) {
    return setupFailure(error);
  }
}

function attemptOf(
  { pools, options }: AccountNeeds,
  exchange: Exchange,
  { channel }: Account,
  { form, method }: AccountRequest,
  { request, isFresh }: { request: UpstreamRequest; isFresh: boolean },
): AttemptSettings {
  const { setting, trust } = channel;
  return {
    pool: pools.get({ origin: request.origin, proxy: setting.proxy, trust }),
    request,
    exchange,
    isStream: form !== "json",
    outlivesCaller: method !== "GET",
    budget: NO_BUDGET,
    drains: NO_DRAINS,
    asker: NOBODY,
    isFresh,
    limits: timeLimitsOf(options, "", setting.timeLimits),
    begunAt: performance.now(),
    keepAliveMs: Number.POSITIVE_INFINITY,
    hasOther: () => false,
  };
}

function read(exchange: Exchange, account: Account, end: AttemptEnd, { answer }: Opened): AccountEnd {
  switch (end.kind) {
    case "answered":
      return answer;
    case "cut":
      return "cut";
    case "refused":
    case "unreachable":
      return refuse(exchange, account, readFailure(end));
    default:
      return null;
  }
}

function refuse(exchange: Exchange, { channel }: Account, failure: Parameters<typeof classifyFailure>[0]): null {
  const { reply, retryAfterMs } = classifyFailure(failure, {
    quirks: rows.get(channel.type)?.quirks ?? {},
    statusCodeMapping: channel.statusCodeMapping,
    mayDisable: false,
    disableKeywords: [],
  });
  exchange.refuse(passedOn(reply, retryAfterMs));
  return null;
}
