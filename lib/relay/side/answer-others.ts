import type { Caller } from "../admission/authenticate";
import type { Purpose } from "../admission/authenticate-request";
import type { KeyLimits } from "../admission/limits";
import { createBillingLimit } from "../admission/limits/billing-pages";
import { createBodyBudget } from "../base/body-budget";
import type { Exchange } from "../http/exchange";
import { answerCount, type CountSettings } from "./counting";
import { contextOf, type Endpoint } from "./endpoints";
import { answerPage } from "./pages";
import { answerStored, type StoredNeeds } from "./stored";
import { answerTaskPage, PICTURE_BYTES_MAX } from "./tasks/answer-page";

/** See lib/relay/admission/authenticate-request.ts. */
type Authenticate = (exchange: Exchange, purpose: Purpose) => Caller | Promise<Caller>;

/** Answers what is no operation: pages, counts of tokens, tasks that callers ask for. It throws or rejects with a RelayError. */
export function createOthers(
  shared: CountSettings & StoredNeeds & { limits: { keyLimits: KeyLimits } },
  authenticate: Authenticate,
) {
  const { sql, snapshot: store } = shared;
  const ofAnyUse = (exchange: Exchange) => authenticate(exchange, null);
  const pages = {
    authenticate,
    store,
    sql,
    limitBilling: createBillingLimit(),
    keyLimits: shared.limits.keyLimits,
  };
  const tasks = {
    ...shared,
    authenticate: ofAnyUse,
    pictureBudget: createBodyBudget(Math.min(shared.bodyBytesMax, PICTURE_BYTES_MAX)),
    limitPictures: createBillingLimit(),
  };
  return async (exchange: Exchange, endpoint: Exclude<Endpoint, { kind: "operation" }>): Promise<void> => {
    if (endpoint.kind === "page") return answerPage(exchange, endpoint, pages);
    if (endpoint.kind === "tasks") return answerTaskPage(tasks, exchange, endpoint);
    if (endpoint.kind === "stored") {
      return answerStored(shared, exchange, endpoint, await authenticate(exchange, endpoint.route.operation));
    }
    const caller = await authenticate(exchange, "chat");
    await answerCount(shared, exchange, contextOf(exchange, endpoint, store.current().options), caller);
  };
}
