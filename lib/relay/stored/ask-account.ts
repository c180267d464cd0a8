import type { OptionValues } from "@/lib/option/registry";
import { classifyFailure } from "../classify-failure";
import type { Exchange } from "../exchange";
import type { Encoded } from "../operations/operation";
import { timeLimitsOf } from "../plan/time-limits";
import { readFailure, setupFailure } from "../stages/attempt-failures";
import { runAttempt } from "../transport/attempt";
import type { AttemptEnd } from "../transport/attempt-end";
import type { AttemptSettings, Budget } from "../transport/attempt-settings";
import type { Pools } from "../transport/pools";
import { prepareRequest, type UpstreamRequest } from "../upstreams/prepare-request";
import { rows } from "../upstreams/rows";
import type { Account } from "./account";
import { StoredAnswer, type StoredForm } from "./stored-answer";

/** One request to an account. `query`: with the question mark; "" = none. */
export type AccountRequest = {
  method: "GET" | "POST" | "DELETE";
  path: string;
  query: string;
  form: StoredForm;
};

export type AccountNeeds = { pools: Pools; options: OptionValues };

/** How it ended. Null = nothing more is to be sent: the caller has its error, or has left. */
export type AccountEnd = StoredAnswer | "cut" | null;

const NO_BUDGET: Budget = { checkAt: Number.POSITIVE_INFINITY, check: () => "go", follow: () => {} };
const NO_DRAINS = { begin: () => null };
const NOTHING = Buffer.alloc(0);

/**
 * Asks the account, and passes on what is streamed. Nobody else has the object, so that no other is asked; a request that
 * met a connection which was just being closed goes out again.
 */
export async function askAccount(
  needs: AccountNeeds,
  exchange: Exchange,
  account: Account,
  asked: AccountRequest,
): Promise<AccountEnd> {
  const prepared = await prepare(needs, account, asked);
  if ("kind" in prepared) return refuse(exchange, account, prepared);
  const { request, opened } = prepared;
  const run = (isFresh: boolean) => runAttempt(attemptOf(needs, exchange, account, asked, { request, isFresh }));
  let end = await run(false);
  if (end.kind === "unreachable" && end.isStale) end = await run(true);
  return read(exchange, account, end, opened);
}

/** `opened`: the answer of the last attempt. */
type Opened = { answer: StoredAnswer | null };

async function prepare({ options }: AccountNeeds, { channel, key }: Account, asked: AccountRequest) {
  const opened: Opened = { answer: null };
  const encode = (): Encoded => ({
    method: asked.method,
    path: asked.path,
    // Given here, because addresses are remembered by path, and every object has its own.
    url: (parts) => (rows.get(channel.type)?.storedUrl ?? rows.get(channel.type)?.url ?? noUrl)(parts),
    query: asked.query,
    headers: [],
    body: NOTHING,
    openAnswer: (secrets) => {
      opened.answer = new StoredAnswer(asked.form, secrets);
      return opened.answer;
    },
  });
  try {
    const sendable = { model: "", isStream: asked.form === "events", encode };
    const request = await prepareRequest(sendable, channel, key, { passThrough: true, cap: null, options });
    return { request, opened };
  } catch (error) {
    return setupFailure(error);
  }
}

function noUrl(): string {
  return "";
}

function attemptOf(
  { pools, options }: AccountNeeds,
  exchange: Exchange,
  { channel }: Account,
  { form }: AccountRequest,
  { request, isFresh }: { request: UpstreamRequest; isFresh: boolean },
): AttemptSettings {
  const { setting, trust } = channel;
  return {
    pool: pools.get({ origin: request.origin, proxy: setting.proxy, trust }),
    request,
    exchange,
    isStream: form !== "json",
    budget: NO_BUDGET,
    drains: NO_DRAINS,
    onDraining: { leavePlaces: () => {} },
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
  exchange.sendError(reply.status, reply.error, retryAfterMs);
  return null;
}
