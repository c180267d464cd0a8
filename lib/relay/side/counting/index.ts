import type { Caller } from "../../admission/authenticate";
import type { Limits } from "../../admission/limits";
import type { BodyBudget } from "../../base/body-budget";
import type { Exchange } from "../../http/exchange";
import { type Receiving, receiveJson } from "../../pipeline/receive-body";
import { findRoute, routeForStored } from "../../routing/route";
import { dialects } from "../../wire/dialects";
import type { ClientDialect } from "../../wire/dialects/dialect";
import { askUpstream, type CountUpstreams } from "./ask-upstream";
import { countForms } from "./count-forms";
import { type CountCall, CountRequest } from "./count-request";

/** The dialect in which a path is asked for a count; null = it is another path. */
export function countingCaller(method: string, path: string): ClientDialect | null {
  if (method !== "POST") return null;
  for (const [id, form] of countForms) {
    if (form.path.test(path)) return dialects.get(id)?.client ?? null;
  }
  return null;
}

export type CountSettings = CountUpstreams & Receiving & { limits: Limits; bodyBudget: BodyBudget };

/**
 * Answers how many tokens a prompt has: by an upstream of the caller's dialect, else by our own count, marked by a header.
 * It is free, within the limits of requests. Throws or rejects with a RelayError.
 */
export async function answerCount(
  settings: CountSettings,
  exchange: Exchange,
  call: CountCall,
  caller: Caller,
): Promise<void> {
  const { limits, bodyBudget, snapshot: store } = settings;
  const permit = await limits.enter(caller, store.current().options, exchange);
  const share = bodyBudget.open(caller.user.id);
  let isServed = false;
  try {
    const body = await receiveJson(settings, exchange, caller, share, "chat");
    const request = new CountRequest(body, call);
    const snapshot = store.current();
    const { tiers } = routeForStored(findRoute(caller, request.model, snapshot, "chat"), request.storedAddress);
    const { options } = snapshot;
    const passThrough = options["global.pass_through_request_enabled"];
    const counted = await askUpstream({ exchange, request, tiers, passThrough, options }, settings);
    if (counted === null) await sendEstimate(exchange, request);
    else if (counted !== "gone") exchange.sendJson(200, counted);
    isServed = true;
  } finally {
    share.release(exchange.response);
    permit.leave(isServed);
  }
}

async function sendEstimate(exchange: Exchange, request: CountRequest): Promise<void> {
  const answer = Buffer.from(JSON.stringify(await request.answer()));
  if (!exchange.response.headersSent) exchange.response.setHeader("x-weir-estimated", "true");
  exchange.sendJson(200, answer);
}
