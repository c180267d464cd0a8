import { answerCount, type CountSettings } from "./counting";
import { contextOf, type Endpoint } from "./endpoints";
import type { Exchange } from "./exchange";
import type { KeyLimits } from "./limits";
import { createBillingLimit } from "./limits/billing-pages";
import { createBodyBudget } from "./limits/body-budget";
import { answerPage } from "./pages";
import type { Caller } from "./stages/authenticate";
import type { Purpose } from "./stages/authenticate-request";
import { answerStored, type StoredNeeds } from "./stored";
import { answerTaskPage, PICTURE_BYTES_MAX } from "./tasks/answer-page";

/** See stages/authenticate-request.ts. */
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
