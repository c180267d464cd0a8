import type { IncomingMessage, ServerResponse } from "node:http";
import { logger } from "@/lib/logger";
import { authenticate } from "./admission/authenticate-request";
import { createLimits } from "./admission/limits";
import { RefusalLog } from "./admission/refusals/refusal-log";
import { createUnknownKeys } from "./admission/refusals/unknown-keys";
import { createBodyBudget } from "./base/body-budget";
import { faultOf, logTrouble, RelayError } from "./base/relay-error";
import { methodAskedFor } from "./http/base-urls";
import { createBodyDeadline, usualPace } from "./http/bodies/body-deadline";
import { ClientDisconnected } from "./http/bodies/read-body";
import { refuseNavigation } from "./http/browsers";
import { createCaptures } from "./http/capture";
import { CommitWaits } from "./http/commit-waits";
import { allowReading, answerPreflight } from "./http/cross-origin";
import type { Exchange } from "./http/exchange";
import { createSpool } from "./http/forms/spool";
import { createInHand } from "./http/in-hand";
import { endExchange, openExchange } from "./http/open-exchange";
import { createPools } from "./net/pools";
import { drainLimits, UpstreamDrains } from "./net/upstream-drains";
import { createHedgePolicy } from "./pipeline/hedge-policy";
import type { Relay, RelaySettings } from "./pipeline/relay-settings";
import { figuresOf } from "./pipeline/relay-settings";
import { createRunningStreams } from "./pipeline/running-streams";
import { serveRequest } from "./pipeline/serve-request";
import type { Shared } from "./pipeline/shared";
import { createAffinity } from "./routing/affinity";
import { createCircuits } from "./routing/circuits";
import { createKeyRotation } from "./routing/key-rotation";
import { createOthers } from "./side/answer-others";
import { callOf, type Endpoint, findEndpoint, isOfApi } from "./side/endpoints";
import { createSessions } from "./side/realtime/sessions";

export type { Caller } from "./admission/authenticate";
export type { RefusalLimits } from "./admission/refusals/refusal-log";
export type { Attempt, Settled } from "./http/attempts";
export type { BodyPace } from "./http/bodies/body-deadline";
export { NO_PAGE } from "./http/browsers";
export { type ClientAddress, createClientAddress } from "./http/client-address";
export { type OnEnd, tellAll } from "./http/on-end";
export { createRequestLog } from "./http/request-log";
export type { Relay, RelaySettings } from "./pipeline/relay-settings";
export { isForRelay } from "./side/endpoints";

const bodyBytesDefault = 64 * 1_048_576;

/** What all requests of a relay share, and what ends its own timers. */
function createShared(settings: RelaySettings): { shared: Shared; stop: () => Promise<unknown> } {
  const { random = Math.random, bodyBytesMax = bodyBytesDefault, bodyPace = usualPace, ...others } = settings;
  const { uploadFolder, ...given } = others;
  const { sql, snapshot: store } = given;
  const limits = createLimits({
    sql,
    nodeId: settings.nodeId,
    timeZone: () => store.current().options.BudgetTimeZone,
    nowSeconds: settings.nowSeconds,
  });
  const { circuits, stop: stopCircuits } = createCircuits(sql, store);
  const shared: Shared = {
    ...given,
    pools: createPools(),
    limits,
    captures: createCaptures(sql),
    bodyBudget: createBodyBudget(bodyBytesMax),
    bodyDeadline: createBodyDeadline(bodyPace),
    spool: createSpool(uploadFolder),
    streams: createRunningStreams(given.settler),
    drains: new UpstreamDrains(() => drainLimits(store.current().options)),
    hedgePolicyBy: createHedgePolicy(),
    commitWaits: new CommitWaits(),
    circuits,
    keyRotation: createKeyRotation(),
    affinity: createAffinity(settings.nowSeconds),
    random,
    bodyBytesMax,
  };
  return { shared, stop: () => Promise.all([limits.stop(), stopCircuits()]) };
}

/** Creates the relay's request handler for plain node:http requests. */
export function createRelay(settings: RelaySettings): Relay {
  const { shared, stop } = createShared(settings);
  const { sql, snapshot: store } = settings;
  const answerOther = createOthers(shared, (exchange, purpose) => authenticate(shared, exchange, purpose));
  async function serve(exchange: Exchange, endpoint: Endpoint): Promise<void> {
    try {
      if (!(endpoint.kind === "tasks" && endpoint.found.page.kind === "picture")) refuseNavigation(exchange.request);
      if (endpoint.kind !== "operation") await answerOther(exchange, endpoint);
      else await serveRequest(shared, exchange, callOf(exchange, endpoint, store.current().options));
    } catch (error) {
      if (error instanceof RelayError) return refuse(exchange, error);
      if (error instanceof ClientDisconnected) return;
      exchange.hasBroken = true;
      logger.error({ err: error, request: exchange.id }, "a request failed");
      if (exchange.response.headersSent) exchange.response.destroy();
      else refuse(exchange, faultOf(error));
    } finally {
      endExchange(settings, exchange, endpoint);
      inHand.leave(exchange);
    }
  }

  const refusals = new RefusalLog({ ...settings, limits: settings.refusalLimits, unknownKeys: createUnknownKeys(sql) });
  function refuse(exchange: Exchange, error: RelayError): void {
    logTrouble(error, exchange.id);
    exchange.refuse(error);
    refusals.note(exchange, { status: exchange.failure?.status ?? error.status, wire: error.wire });
  }
  const inHand = createInHand();
  const relay = (request: IncomingMessage, response: ServerResponse): void => {
    const { CorsOrigins } = store.current().options;
    if (methodAskedFor(request) !== null) {
      answerPreflight(request, response, CorsOrigins);
      return;
    }
    const endpoint = findEndpoint(request);
    if (request.headers.origin !== undefined && isOfApi(endpoint)) allowReading(request, response, CorsOrigins);
    const exchange = openExchange(settings, endpoint, request, response);
    inHand.enter(exchange);
    void serve(exchange, endpoint);
  };
  const close = async (): Promise<void> => {
    shared.streams.stop();
    shared.commitWaits.stop();
    await Promise.all([refusals.stop(), stop(), shared.captures.idle()]);
    await shared.pools.close();
  };
  const sessions = createSessions({
    ...shared,
    inHand,
    refusals,
    graceMs: settings.sessionGraceMs,
    authenticate: (one) => authenticate(shared, one, "realtime"),
  });
  return Object.assign(relay, { idle: inHand.idle, figures: figuresOf(inHand, shared), ...sessions, close });
}
