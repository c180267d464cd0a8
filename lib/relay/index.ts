import type { IncomingMessage, ServerResponse } from "node:http";
import type { Sql } from "@/db/client";
import type { LeaseBook, Reservation } from "@/lib/billing/lease";
import type { Settler } from "@/lib/billing/settle";
import { logger } from "@/lib/logger";
import { TOKEN_STATUS } from "@/lib/row-status";
import type { SnapshotChannel, SnapshotStore } from "@/lib/snapshot/store";
import { markTokenExpired } from "@/lib/token/state-commands";
import { disableChannelAutomatically, disableKeyAutomatically } from "./channel-state-commands";
import type { ClientAddress } from "./client-address";
import { createCoolDowns } from "./cool-downs";
import { type Endpoint, findEndpoint } from "./endpoints";
import { Exchange } from "./exchange";
import { createKeyRotation } from "./key-rotation";
import { createLimits } from "./limits";
import { createBillingLimit } from "./limits/billing-pages";
import type { Call } from "./operations/operation";
import { answerPage } from "./pages";
import { RelayError } from "./relay-error";
import { type Caller, checkCaller, findCaller, isExpired } from "./stages/authenticate";
import { checkWords } from "./stages/check-words";
import { dispatch } from "./stages/dispatch";
import { sendEnd } from "./stages/finish";
import { measureUsage } from "./stages/measure";
import { quoteRequest } from "./stages/quote";
import { ClientDisconnected, readBody } from "./stages/read-body";
import { reserve } from "./stages/reserve";
import { findRoute } from "./stages/route";
import { buildSettlement } from "./stages/settle";
import { createPools } from "./transport/pools";

export type RelaySettings = {
  sql: Sql;
  settler: Settler;
  leaseBook: LeaseBook;
  snapshot: SnapshotStore;
  clientAddress: ClientAddress;
  /** This process in the database; see lib/billing/README.md. */
  nodeId: string;
  /** Who is calling where it is not a key that says so; null = look for a key. */
  identify?: (request: IncomingMessage) => Caller | null;
  /** Larger request bodies are refused with 413. */
  bodyBytesMax?: number;
  random?: () => number;
};

export type Relay = {
  (request: IncomingMessage, response: ServerResponse): void;
  /** Resolves when every request in hand is answered and settled. */
  idle: () => Promise<void>;
  /** Lets go of the connections to upstreams. */
  close: () => Promise<void>;
};

const bodyBytesDefault = 64 * 1_048_576;

/** The API surface of the relay, driven by plain node:http requests. */
export function createRelay(settings: RelaySettings): Relay {
  const { sql, settler, leaseBook, snapshot: store, random = Math.random } = settings;
  const pools = createPools();
  const coolDowns = createCoolDowns();
  const keyRotation = createKeyRotation();
  const limitBilling = createBillingLimit();
  const limits = createLimits({ sql, nodeId: settings.nodeId });
  const bodyBytesMax = settings.bodyBytesMax ?? bodyBytesDefault;

  function authenticate(exchange: Exchange): Caller | Promise<Caller> {
    const found = settings.identify?.(exchange.request) ?? findCaller(exchange.request, exchange.caller, store);
    return found instanceof Promise ? found.then((caller) => check(caller, exchange)) : check(found, exchange);
  }

  function check(caller: Caller, exchange: Exchange): Caller {
    const nowSeconds = Date.now() / 1000;
    if (caller.token.status === TOKEN_STATUS.enabled && isExpired(caller.token, nowSeconds)) {
      markTokenExpired(sql, caller.token.id).catch((error: unknown) =>
        logger.error({ err: error }, "token not marked"),
      );
    }
    checkCaller(caller, exchange.clientIp, nowSeconds);
    return caller;
  }

  function onDisable({ id: channel }: SnapshotChannel, key: number | null, reason: string): void {
    const change =
      key === null
        ? disableChannelAutomatically(sql, channel, reason)
        : disableKeyAutomatically(sql, channel, key, reason);
    change.then(
      (changed) => changed && logger.warn({ channel, key, reason }, "channel or key switched off"),
      (error: unknown) => logger.error({ err: error, channel, key }, "channel could not be switched off"),
    );
  }

  /**
   * One request to an upstream, from key to charge, within the caller's limits. What is refused here is never charged. It is one
   * function because each that waits for another costs a promise and a turn of the queue.
   */
  async function relayRequest(exchange: Exchange, call: Call): Promise<void> {
    const found = authenticate(exchange);
    const caller = found instanceof Promise ? await found : found;
    const entered = limits.enter(caller, store.current().options);
    const permit = entered instanceof Promise ? await entered : entered;
    let reservation: Reservation | null = null;
    let isServed = false;
    try {
      const { operation } = call;
      const intake = operation.read(await readBody(exchange, bodyBytesMax), call);
      const snapshot = store.current();
      const { options } = snapshot;
      const route = findRoute(caller, intake.model, snapshot);
      checkWords(intake, options);
      const quote = quoteRequest(intake, route, caller.user, snapshot);
      if (!settler.hasRoom())
        throw new RelayError(503, "the service is temporarily unavailable", { code: "database_away" });
      const reserved = reserve(sql, leaseBook, caller, quote);
      reservation = reserved instanceof Promise ? await reserved : reserved;
      const delivery = await dispatch({
        exchange,
        intake,
        route,
        pools,
        coolDowns,
        keyRotation,
        random,
        retryTimes: options.RetryTimes,
        passThrough: options["global.pass_through_request_enabled"],
        disable: { isEnabled: options.AutomaticDisableChannelEnabled, keywords: options.AutomaticDisableKeywords },
        onDisable,
      });
      const isLogged = options.LogConsumeEnabled;
      const measured = measureUsage(intake, delivery);
      const usage = measured instanceof Promise ? await measured : measured;
      const settled = buildSettlement({
        exchange,
        caller,
        operation,
        intake,
        route,
        quote,
        reservation,
        delivery,
        usage,
        isLogged,
      });
      // What failed costs nothing: it goes back before the caller hears of it, so that another try finds it.
      if (delivery.outcome === "failed") leaseBook.release(reservation);
      const committed = settler.settle(settled);
      if (delivery.outcome === "failed") exchange.sendError(delivery.reply.status, delivery.reply.error);
      await committed;
      if (delivery.outcome !== "failed") sendEnd(exchange, delivery);
      isServed = delivery.outcome !== "failed";
    } finally {
      // Settled by now; what was not used goes back, a settled reservation ignores this.
      if (reservation) leaseBook.release(reservation);
      permit.leave(isServed);
    }
  }

  async function serve(exchange: Exchange, endpoint: Endpoint): Promise<void> {
    try {
      const { path, query, caller } = endpoint;
      if (endpoint.kind === "operation") {
        const { headers } = exchange.request;
        return await relayRequest(exchange, {
          operation: endpoint.operation,
          caller,
          requestId: exchange.id,
          path,
          query,
          headers,
        });
      }
      await answerPage(exchange, endpoint.page, path, { authenticate, store, sql, limitBilling });
    } catch (error) {
      if (error instanceof RelayError) return exchange.refuse(error);
      if (error instanceof ClientDisconnected) return;
      logger.error({ err: error, request: exchange.id }, "a request failed");
      exchange.refuse(new RelayError(500, "internal error", { code: "internal_error" }));
      if (exchange.response.headersSent) exchange.response.destroy();
    } finally {
      leave();
    }
  }

  let inHand = 0;
  let waiting: (() => void)[] = [];
  function leave(): void {
    inHand -= 1;
    if (inHand > 0) return;
    for (const done of waiting) done();
    waiting = [];
  }
  const relay = (request: IncomingMessage, response: ServerResponse): void => {
    inHand += 1;
    const endpoint = findEndpoint(request);
    void serve(new Exchange(request, response, settings.clientAddress(request), endpoint.caller), endpoint);
  };
  const idle = (): Promise<void> => (inHand === 0 ? Promise.resolve() : new Promise((done) => waiting.push(done)));
  const close = async (): Promise<void> => {
    await limits.stop();
    await pools.close();
  };
  return Object.assign(relay, { idle, close });
}
