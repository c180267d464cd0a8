import type { IncomingMessage, ServerResponse } from "node:http";
import type { Reservation } from "@/lib/billing/lease";
import type { Settlement } from "@/lib/billing/settle";
import { logger } from "@/lib/logger";
import type { OptionValues } from "@/lib/option/registry";
import { createAffinity } from "./affinity";
import { createOthers } from "./answer-others";
import { methodAskedFor } from "./base-urls";
import { refuseNavigation } from "./browsers";
import { createCaptures } from "./capture";
import { tellOfOdd } from "./channel-state-commands";
import { createCircuits } from "./circuits";
import { allowReading, answerPreflight } from "./cross-origin";
import { callOf, type Endpoint, findEndpoint, isOfApi } from "./endpoints";
import type { Exchange } from "./exchange";
import { figuresOf } from "./figures";
import type { ReceivedBody } from "./forms/form";
import { createSpool } from "./forms/spool";
import { type Claim, claimOf, replay } from "./idempotency";
import { createInHand } from "./in-hand";
import { createKeyRotation } from "./key-rotation";
import { createLimits, type Permit } from "./limits";
import { type BodyShare, createBodyBudget } from "./limits/body-budget";
import { createBodyDeadline, usualPace } from "./limits/body-deadline";
import { expectedTokens } from "./limits/expected-tokens";
import { logTrouble } from "./log-trouble";
import { endExchange, openExchange } from "./open-exchange";
import type { Call } from "./operations/operation";
import { RefusalLog } from "./refusals/refusal-log";
import { createUnknownKeys } from "./refusals/unknown-keys";
import { databaseAway, faultOf, passedOn, RelayError } from "./relay-error";
import type { Relay, RelaySettings } from "./relay-settings";
import { createRunningStreams } from "./running-streams";
import { hold, holdCounted, release, type Serving, startServing } from "./serving";
import { createSessions } from "./sessions";
import type { Shared } from "./shared";
import type { Caller } from "./stages/authenticate";
import { authenticate } from "./stages/authenticate-request";
import { bindOffer, isBound } from "./stages/bind-route";
import { readWithoutWords } from "./stages/check-words";
import { isContinuable } from "./stages/continuation";
import type { Delivery, Spent } from "./stages/delivery";
import { dispatch, dispatchRest } from "./stages/dispatch";
import { heldBy, sendEnd } from "./stages/finish";
import { createHedging } from "./stages/hedging";
import { leaveOpen } from "./stages/leave-open";
import { chargeSoFar, measureDelivery, tokensOf, withinReserved } from "./stages/measure";
import {
  type Ask,
  askModels,
  type Fallbacks,
  fallbacksOf,
  firstOffer,
  type Offer,
  type Served,
} from "./stages/model-fallback";
import { goOnByModels } from "./stages/next-writers";
import { sumOfParts } from "./stages/parts";
import { capFor, withinAmount } from "./stages/quote";
import { ClientDisconnected } from "./stages/read-body";
import { receiveBody } from "./stages/receive-body";
import type { DispatchSettings } from "./stages/run";
import { type Begun, buildSettlement, type Ended, lostSubmission } from "./stages/settle";
import { StreamBudget } from "./stages/stream-budget";
import { CommitWaits } from "./transport/commit-waits";
import { createPools } from "./transport/pools";
import { drainLimits, NO_DRAINS, UpstreamDrains } from "./transport/upstream-drains";

export type { Relay, RelaySettings } from "./relay-settings";

const bodyBytesDefault = 64 * 1_048_576;

/** From key to charge; a request refused before the settlement costs nothing. Only actual promises are awaited: each await has its price. */
async function relayRequest(shared: Shared, exchange: Exchange, call: Call): Promise<void> {
  const { limits } = shared;
  const found = authenticate(shared, exchange, call.operation.id);
  const caller = found instanceof Promise ? await found : found;
  const entered = limits.enter(caller, shared.snapshot.current().options, exchange);
  const permit = entered instanceof Promise ? await entered : entered;
  let isServed = false;
  const share = shared.bodyBudget.open(caller.user.id);
  exchange.share = share;
  let claim: Claim | null = null;
  try {
    if (!shared.settler.hasRoom()) throw databaseAway();
    const body = await receiveBody(shared, exchange, caller, share, call.operation);
    call.values = exchange.bodyValues;
    shared.captures.begin(exchange, caller, body, shared.snapshot.current().options);
    const claiming = claimOf(shared, exchange, caller, body);
    claim = claiming && (await claiming);
    if (claim?.answer) {
      replay(exchange, claim.answer);
      isServed = true;
    } else isServed = await serveRequest(shared, exchange, call, { caller, permit, body, claim, share });
  } finally {
    share.release(exchange.response);
    permit.leave(isServed);
    if (claim) await claim.leave();
  }
}

type Received = { caller: Caller; permit: Permit; body: ReceivedBody; claim: Claim | null; share: BodyShare };

/** From a body that was read to its charge. False = the caller got an error. */
async function serveRequest(shared: Shared, exchange: Exchange, call: Call, received: Received): Promise<boolean> {
  const { caller, permit, claim } = received;
  const snapshot = shared.snapshot.current();
  const reading = readWithoutWords(call, received.body, snapshot.options);
  const intake = reading instanceof Promise ? await reading : reading;
  if (intake.answerBytes) received.share.addAnswer(intake.answerBytes);
  const fallbacks = fallbacksOf(caller, intake, snapshot);
  const serving = startServing({
    shared,
    exchange,
    operation: call.operation,
    caller,
    permit,
    snapshot,
    requestedModel: intake.model,
    fallbacks,
  });
  try {
    const first = firstOffer(caller, intake, snapshot, fallbacks);
    const offer = isBound(intake) ? await bindOffer(shared.sql, caller, first, snapshot) : first;
    if (permit.takeTokens) await permit.takeTokens(() => expectedTokens(offer.quote));
    if (!shared.settler.hasRoom()) throw databaseAway();
    let served: Served<Begun>;
    if (fallbacks) served = await askModels(offer, fallbacks, askingFor(serving));
    else {
      const holding = intake.countedNeed ? holdCounted(serving, offer) : hold(serving, offer.quote);
      const begun = begin(serving, offer, holding instanceof Promise ? await holding : holding);
      served = { begun, delivery: await send(serving, begun, null) };
    }
    if (served.delivery.outcome === "cut" && fallbacks?.mayWrite) served = await continued(serving, fallbacks, served);
    const { begun, delivery } = served;
    // From here on it gets its row by its charge, which another row of the same id would keep out.
    exchange.accountable = null;
    if (begun.quote.need.isBackground && (await leaveOpen(shared, begun, delivery, { permit, claim }))) return true;
    const measuring = measureDelivery(begun.intake, begun.quote, delivery, begun.reservation.amount);
    const { usage, drained } = measuring instanceof Promise ? await measuring : measuring;
    permit.usedTokens(tokensOf(usage));
    serving.seats.leave(tokensOf(drained ?? usage));
    begun.preference?.ended(delivery, usage);
    shared.limits.abandoned.ended(caller.user.id, delivery, snapshot.options);
    const settlement = settlementOf(shared, begun, { delivery, usage, drained });
    exchange.settled = { settlement, delivery };
    // A failed request costs nothing, and a retry after its error finds the quota and the Idempotency-Key free.
    if (delivery.outcome === "failed") {
      release(serving);
      permit.budget?.giveUp();
      if (claim) await claim.leave();
    } else claim?.charge(settlement);
    serving.isNoted = false;
    const charged = shared.settler.settle(settlement, heldBy(delivery), permit.budget?.whenBooked(settlement.quota));
    shared.streams.end(exchange, true);
    if (delivery.outcome === "failed") exchange.refuse(passedOn(delivery.reply, delivery.retryAfterMs));
    await shared.commitWaits.through(charged, exchange.stream, keepAliveOf(snapshot.options));
    if (delivery.outcome === "failed") return false;
    if (claim) await claim.keep(delivery);
    sendEnd(exchange, delivery);
    return true;
  } finally {
    shared.streams.end(exchange, false);
    if (serving.isNoted) shared.settler.forget(exchange.id);
    serving.seats.leave(0);
    serving.preference?.leave();
    // Where it ended without a settlement.
    release(serving);
  }
}

function settlementOf({ sql }: Shared, begun: Begun, ended: Ended): Settlement {
  const settlement = buildSettlement(begun, withinReserved(begun, ended));
  tellOfOdd(sql, { channelId: settlement.channelId, model: begun.intake.model }, ended);
  return settlement;
}

function keepAliveOf({ StreamKeepAliveSeconds }: OptionValues): number {
  return StreamKeepAliveSeconds * 1_000 || Number.POSITIVE_INFINITY;
}

function begin(serving: Serving, offer: Offer, reservation: Reservation): Begun {
  const { shared, exchange, caller, operation, requestedModel, snapshot } = serving;
  const { options } = snapshot;
  serving.reservation = reservation;
  const { intake, route } = offer;
  const quote = withinAmount(offer.quote, reservation.amount);
  const isLogged = options.LogConsumeEnabled;
  const preference = shared.affinity.of(serving, offer);
  serving.preference = preference;
  const begun: Begun = {
    exchange,
    caller,
    operation,
    intake,
    route,
    quote,
    reservation,
    preference,
    options,
    isLogged,
    requestedModel,
  };
  if (intake.isStream) shared.streams.start(begun);
  if (intake.makesTask) noteSubmission(serving, begun);
  return begun;
}

/** So that a submission is found in the log although this process may end before its answer. */
function noteSubmission(serving: Serving, begun: Begun): void {
  begun.exchange.stay();
  serving.shared.settler.note(lostSubmission(begun));
  serving.isNoted = true;
}

function send(serving: Serving, begun: Begun, before: Spent | null): Promise<Delivery> {
  const { shared, exchange, caller, permit, snapshot } = serving;
  const { leaseBook, limits } = shared;
  const { reservation, quote } = begun;
  const book = permit.budget?.within(leaseBook) ?? leaseBook;
  const budget = new StreamBudget(book, reservation, quote, exchange.id, (answer) =>
    chargeSoFar(begun, answer.report()),
  );
  serving.seats = limits.seats(caller, snapshot, exchange, quote);
  const cap = capFor(reservation.amount, quote);
  return dispatch(dispatchSettings(serving, begun, { cap, budget, before }));
}

/** Lets other models go on with a stream that broke off. What the first one held covers what it wrote. */
async function continued(serving: Serving, fallbacks: Fallbacks, served: Served<Begun>): Promise<Served<Begun>> {
  const { shared, exchange, caller, permit, snapshot } = serving;
  const { delivery, begun } = served;
  const { options } = snapshot;
  if (delivery.outcome !== "cut" || !isContinuable(options, begun.intake, begun.route, true)) return served;
  const leases = permit.budget?.within(shared.leaseBook) ?? shared.leaseBook;
  return goOnByModels(served, delivery, {
    fallbacks,
    leases,
    expected: options.PreConsumedQuota,
    begin: (next) => shared.streams.start(next),
    goOn(next, cut, writers) {
      const { reservation, quote } = next;
      const earlier = sumOfParts(next.earlier);
      serving.seats.leave(0);
      serving.seats = shared.limits.seats(caller, snapshot, exchange, quote);
      const budget = new StreamBudget(leases, reservation, quote, exchange.id, null, earlier);
      const cap = capFor(Math.max(0, reservation.amount - earlier.quota), quote);
      const { startedAt: begunAt } = exchange;
      const { used, attempts } = cut;
      const waitLeftMs = options.RetryWaitSeconds * 1_000;
      const before: Spent = { begunAt, waitLeftMs, used, attempts, refusal: null, tooShort: new Set() };
      const settings = dispatchSettings(serving, next, { cap, budget, before });
      return dispatchRest({ ...settings, continuable: next.intake, writers }, cut);
    },
  });
}

/** Asks a model after what the one before it held was given back. */
function askingFor(serving: Serving): Ask<Begun> {
  const { shared, exchange, permit } = serving;
  return async (offer, before) => {
    shared.streams.end(exchange, false);
    serving.seats.leave(0);
    serving.preference?.leave();
    release(serving);
    permit.budget?.giveBack();
    const begun = begin(serving, offer, await hold(serving, offer.quote));
    return { begun, delivery: await send(serving, begun, before) };
  };
}

function dispatchSettings(
  { shared, exchange, permit, seats, snapshot, fallbacks }: Serving,
  { intake, route, preference }: Pick<Begun, "intake" | "route" | "preference">,
  { cap, budget, before }: Pick<DispatchSettings, "cap" | "budget" | "before">,
): DispatchSettings {
  const { options } = snapshot;
  const { sql, pools, circuits, keyRotation, drains, hedgingBy, random } = shared;
  return {
    exchange,
    intake,
    route,
    cap,
    budget,
    permit,
    seats,
    pools,
    circuits,
    keyRotation,
    preference,
    drains: intake.fits ? NO_DRAINS : drains,
    random,
    retryTimes: options.RetryTimes,
    continuable: isContinuable(options, intake, route, fallbacks?.mayWrite === true) ? intake : null,
    before,
    otherModels: fallbacks,
    wholeAddedMs: 0,
    hedging: intake.makesTask || intake.fits ? null : hedgingBy(options),
    waitBudgetMs: before?.waitLeftMs ?? options.RetryWaitSeconds * 1_000,
    keepAliveMs: keepAliveOf(options),
    passThrough: options["global.pass_through_request_enabled"],
    options,
    sql,
  };
}

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
    hedgingBy: createHedging(),
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
      else await relayRequest(shared, exchange, callOf(exchange, endpoint, store.current().options));
    } catch (error) {
      if (error instanceof RelayError) return refuse(exchange, error);
      if (error instanceof ClientDisconnected) return;
      exchange.hasBroken = true;
      logger.error({ err: error, request: exchange.id }, "a request failed");
      if (exchange.response.headersSent) exchange.response.destroy();
      else refuse(exchange, faultOf(error));
    } finally {
      exchange.capture?.leave();
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
