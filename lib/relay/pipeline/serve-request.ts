import type { Reservation } from "@/lib/billing/lease";
import type { Settlement } from "@/lib/billing/settle";
import type { OptionValues } from "@/lib/option/registry";
import type { Snapshot } from "@/lib/snapshot/store";
import { authenticate } from "../admission/authenticate-request";
import { readWithoutWords } from "../admission/check-words";
import { expectedTokens } from "../admission/limits/expected-tokens";
import { capFor, withinAmount } from "../admission/quote";
import { StreamBudget } from "../admission/stream-budget";
import { databaseAway, passedOn } from "../base/relay-error";
import type { CutDelivery, Delivered, Delivery, Spent } from "../http/delivery";
import type { Exchange } from "../http/exchange";
import { sumOfParts } from "../http/parts";
import { NO_DRAINS } from "../net/upstream-drains";
import type { Call, Intake } from "../operations/operation";
import { tellOfOdd } from "../routing/channel-state-commands";
import { bindOffer, isBound } from "./bind-route";
import { isContinuable } from "./continuation";
import { dispatch, dispatchRest } from "./dispatch";
import type { DispatchSettings } from "./dispatch-state";
import { endingBytes, sendEnd } from "./finish";
import { firstOffer } from "./first-offer";
import { claimOf, replay } from "./idempotency";
import type { StoredAnswer } from "./idempotency/commands";
import { leaveOpen } from "./leave-open";
import { chargeSoFar, type Measured, measureDelivery, tokensOf, withinReserved } from "./measure";
import { askModels, type Fallbacks, fallbacksOf, type Offer, type Served } from "./model-fallback";
import { goOnByModels } from "./next-writers";
import { receiveBody } from "./receive-body";
import { RequestScope } from "./request-scope";
import { reserveCounted, reserveQuote } from "./reserve-quote";
import { buildSettlement, lostSubmission, type RequestOutcome, type ReservedRequest } from "./settle";
import type { Shared } from "./shared";

/** From key to charge; a request refused before the settlement costs nothing. Only actual promises are awaited: each await has its price. */
export async function serveRequest(shared: Shared, exchange: Exchange, call: Call): Promise<void> {
  const found = authenticate(shared, exchange, call.operation.id);
  const caller = found instanceof Promise ? await found : found;
  const entered = shared.limits.enter(caller, shared.snapshot.current().options, exchange);
  const permit = entered instanceof Promise ? await entered : entered;
  const scope = new RequestScope(shared, exchange, call.operation, caller, permit);
  try {
    if (!shared.settler.hasRoom()) throw databaseAway();
    const body = await receiveBody(shared, exchange, caller, scope.share, call.operation);
    call.values = exchange.bodyValues;
    shared.captures.begin(exchange, caller, body, shared.snapshot.current().options);
    const claiming = claimOf(shared, exchange, caller, body);
    scope.claim = claiming && (await claiming);
    if (scope.claim?.answer) return replayed(scope, scope.claim.answer);
    const snapshot = shared.snapshot.current();
    const reading = readWithoutWords(call, body, snapshot.options);
    const intake = reading instanceof Promise ? await reading : reading;
    noteRead(scope, intake, snapshot);
    const first = firstOffer(caller, intake, snapshot, scope.fallbacks);
    const offer = isBound(intake) ? await bindOffer(shared.sql, caller, first, snapshot) : first;
    if (permit.takeTokens) await permit.takeTokens(() => expectedTokens(offer.quote));
    if (!shared.settler.hasRoom()) throw databaseAway();
    let served: Served<ReservedRequest>;
    if (scope.fallbacks) served = await askInTurn(scope, offer, scope.fallbacks);
    else {
      const reserving = intake.countedNeed ? reserveCounted(scope, offer) : reserveQuote(scope, offer.quote);
      const request = begin(scope, offer, reserving instanceof Promise ? await reserving : reserving);
      served = { request, delivery: await send(scope, request, null) };
    }
    const { request, delivery } = served;
    // From here on it gets its row by its charge, which another row of the same id would keep out.
    exchange.refusalCaller = null;
    if (request.quote.need.isBackground && (await leftOpen(scope, request, delivery))) return;
    const measuring = measureDelivery(request.intake, request.quote, delivery, request.reservation.amount);
    const measured = measuring instanceof Promise ? await measuring : measuring;
    noteUse(scope, request, delivery, measured);
    if (delivery.outcome === "failed") return await refuse(scope, request, delivery, measured);
    await book(scope, request, delivery, measured);
    if (scope.claim) await scope.claim.keep(delivery);
    sendEnd(exchange, delivery);
    scope.isServed = true;
  } finally {
    const ending = scope.state === "ended" ? undefined : scope.end();
    if (ending) await ending;
  }
}

/** The answer of the first request with the same Idempotency-Key. */
function replayed(scope: RequestScope, answer: StoredAnswer): void {
  replay(scope.exchange, answer);
  scope.isServed = true;
}

function noteRead(scope: RequestScope, intake: Intake, snapshot: Snapshot): void {
  const { exchange, caller, share } = scope;
  if (intake.answerBytes) share.addAnswer(intake.answerBytes);
  exchange.model = intake.model;
  scope.snapshot = snapshot;
  scope.fallbacks = fallbacksOf(caller, intake, snapshot);
}

/** Asks one model after the other. A stream that breaks off may be gone on with by the next one. */
async function askInTurn(scope: RequestScope, first: Offer, fallbacks: Fallbacks): Promise<Served<ReservedRequest>> {
  const served = await askModels(first, fallbacks, async (offer, before) => {
    scope.nextModel();
    const request = begin(scope, offer, await reserveQuote(scope, offer.quote));
    return { request, delivery: await send(scope, request, before) };
  });
  return served.delivery.outcome === "cut" && fallbacks.mayWrite ? continued(scope, fallbacks, served) : served;
}

function begin(scope: RequestScope, offer: Offer, reservation: Reservation): ReservedRequest {
  const { shared, exchange, caller, operation, snapshot } = scope;
  const { options } = snapshot;
  scope.reservation = reservation;
  scope.move("reserved");
  const { intake, route } = offer;
  const quote = withinAmount(offer.quote, reservation.amount);
  const isLogged = options.LogConsumeEnabled;
  const preference = shared.affinity.of(scope, offer);
  scope.preference = preference;
  const request: ReservedRequest = {
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
    requestedModel: exchange.model,
  };
  if (intake.isStream) {
    shared.streams.start(request);
    scope.isRunning = true;
  }
  if (intake.makesTask) noteSubmission(scope, request);
  return request;
}

/** So that a submission is found in the log although this process may end before its answer. */
function noteSubmission(scope: RequestScope, request: ReservedRequest): void {
  request.exchange.stay();
  scope.shared.settler.note(lostSubmission(request));
  scope.isNoted = true;
}

function send(scope: RequestScope, request: ReservedRequest, before: Spent | null): Promise<Delivery> {
  const { shared, exchange, caller, permit, snapshot } = scope;
  const { leaseBook, limits } = shared;
  const { reservation, quote } = request;
  scope.move("asking");
  const book = permit.budget?.within(leaseBook) ?? leaseBook;
  const budget = new StreamBudget(book, reservation, quote, exchange.id, (answer) =>
    chargeSoFar(request, answer.report()),
  );
  scope.seats = limits.seats(caller, snapshot, exchange, quote);
  const cap = capFor(reservation.amount, quote);
  return dispatch(dispatchSettings(scope, request, { cap, budget, before }));
}

/** Lets other models go on with a stream that broke off. What the first one held covers what it wrote. */
async function continued(
  scope: RequestScope,
  fallbacks: Fallbacks,
  served: Served<ReservedRequest>,
): Promise<Served<ReservedRequest>> {
  const { shared, exchange, caller, permit, snapshot } = scope;
  const { delivery, request } = served;
  const { options } = snapshot;
  if (delivery.outcome !== "cut" || !isContinuable(options, request.intake, request.route, true)) return served;
  const leases = permit.budget?.within(shared.leaseBook) ?? shared.leaseBook;
  return goOnByModels(served, delivery, {
    fallbacks,
    leases,
    expected: options.PreConsumedQuota,
    begin: (next) => shared.streams.start(next),
    goOn(next, cut, writers) {
      const { reservation, quote } = next;
      const earlier = sumOfParts(next.earlier);
      scope.seats.leave(0);
      scope.seats = shared.limits.seats(caller, snapshot, exchange, quote);
      const budget = new StreamBudget(leases, reservation, quote, exchange.id, null, earlier);
      const cap = capFor(Math.max(0, reservation.amount - earlier.quota), quote);
      const { startedAt: begunAt } = exchange;
      const { used, attempts } = cut;
      const waitLeftMs = options.RetryWaitSeconds * 1_000;
      const before: Spent = { begunAt, waitLeftMs, used, attempts, refusal: null, tooShort: new Set() };
      const settings = dispatchSettings(scope, next, { cap, budget, before });
      return dispatchRest({ ...settings, continuable: next.intake, writers }, cut);
    },
  });
}

function dispatchSettings(
  scope: RequestScope,
  { intake, route, preference }: Pick<ReservedRequest, "intake" | "route" | "preference">,
  { cap, budget, before }: Pick<DispatchSettings, "cap" | "budget" | "before">,
): DispatchSettings {
  const { shared, exchange, seats, snapshot, fallbacks } = scope;
  const { options } = snapshot;
  const { sql, pools, circuits, keyRotation, drains, hedgePolicyBy, random } = shared;
  return {
    exchange,
    asker: scope,
    intake,
    route,
    cap,
    budget,
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
    hedging: intake.makesTask || intake.fits ? null : hedgePolicyBy(options),
    waitBudgetMs: before?.waitLeftMs ?? options.RetryWaitSeconds * 1_000,
    keepAliveMs: keepAliveOf(options),
    passThrough: options["global.pass_through_request_enabled"],
    options,
    sql,
  };
}

/** The answer is one that its upstream goes on with by itself: its charge is left open. False = it is none. */
async function leftOpen(scope: RequestScope, request: ReservedRequest, delivery: Delivery): Promise<boolean> {
  const { shared, permit, claim } = scope;
  if (!(await leaveOpen(shared, request, delivery, { permit, claim }))) return false;
  scope.move("booked");
  scope.isServed = true;
  return true;
}

/** Tells limits and conversations what the request has used, once that is known. */
function noteUse(
  scope: RequestScope,
  request: ReservedRequest,
  delivery: Delivery,
  { usage, drained }: Measured,
): void {
  const { shared, permit, caller, snapshot } = scope;
  scope.move("measured");
  permit.usedTokens(tokensOf(usage));
  scope.seats.leave(tokensOf(drained ?? usage));
  request.preference?.ended(delivery, usage);
  shared.limits.abandoned.ended(caller.user.id, delivery, snapshot.options);
}

/** A failed request costs nothing, and whoever asks again after its error finds quota, limits and Idempotency-Key free. */
async function refuse(
  scope: RequestScope,
  request: ReservedRequest,
  delivery: Delivery & { outcome: "failed" },
  { usage, drained }: Measured,
): Promise<void> {
  const { shared, exchange, snapshot } = scope;
  const settlement = settlementOf(shared, request, { delivery, usage, drained });
  exchange.settled = { settlement, delivery };
  scope.handOver();
  await scope.end();
  const booked = shared.settler.settle(settlement);
  exchange.refuse(passedOn(delivery.reply, delivery.retryAfterMs));
  await shared.commitWaits.through(booked, exchange.stream, keepAliveOf(snapshot.options));
}

/** Resolves when the charge cannot be lost any more. */
function book(
  scope: RequestScope,
  request: ReservedRequest,
  delivery: Delivered | CutDelivery,
  { usage, drained }: Measured,
): Promise<void> {
  const { shared, exchange, permit, snapshot } = scope;
  const settlement = settlementOf(shared, request, { delivery, usage, drained });
  exchange.settled = { settlement, delivery };
  scope.claim?.charge(settlement);
  scope.handOver();
  const charged = shared.settler.settle(settlement, endingBytes(delivery), permit.budget?.whenBooked(settlement.quota));
  scope.move("booked");
  return shared.commitWaits.through(charged, exchange.stream, keepAliveOf(snapshot.options));
}

function settlementOf({ sql }: Shared, request: ReservedRequest, ended: RequestOutcome): Settlement {
  const settlement = buildSettlement(request, withinReserved(request, ended));
  tellOfOdd(sql, { channelId: settlement.channelId, model: request.intake.model }, ended);
  return settlement;
}

function keepAliveOf({ StreamKeepAliveSeconds }: OptionValues): number {
  return StreamKeepAliveSeconds * 1_000 || Number.POSITIVE_INFINITY;
}
