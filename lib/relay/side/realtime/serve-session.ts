import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import type { Sql } from "@/db/client";
import type { LeaseBook } from "@/lib/billing/lease";
import { isKnownToThink } from "@/lib/billing/model-limits";
import { toQuota } from "@/lib/billing/quota";
import type { Settler } from "@/lib/billing/settle";
import { NO_COST, NO_USAGE } from "@/lib/billing/types";
import type { MeterUsage } from "@/lib/meters";
import type { Snapshot, SnapshotStore } from "@/lib/snapshot/store";
import type { Caller } from "../../admission/authenticate";
import type { Limits, Permit } from "../../admission/limits";
import type { ChannelSeats } from "../../admission/limits/channel-seats";
import { expectedTokens } from "../../admission/limits/expected-tokens";
import { type Quote, quoteRequest } from "../../admission/quote";
import { reserve } from "../../admission/reserve";
import type { BodyBudget } from "../../base/body-budget";
import { databaseAway, passedOn, RelayError } from "../../base/relay-error";
import type { AttemptEnd } from "../../http/attempt/attempt-end";
import { type AttemptSettings, type Budget, NOBODY } from "../../http/attempt/attempt-settings";
import type { BodyDeadline } from "../../http/bodies/body-deadline";
import type { Delivery } from "../../http/delivery";
import type { Exchange } from "../../http/exchange";
import type { Pools } from "../../net/pools";
import type { UpstreamDrains } from "../../net/upstream-drains";
import type { Call } from "../../operations/operation";
import { readSession } from "../../operations/realtime";
import { dispatch } from "../../pipeline/dispatch";
import type { DispatchSettings } from "../../pipeline/dispatch-state";
import { buildSettlement, type Chargeable } from "../../pipeline/settle";
import { tellOfBoundedUsage } from "../../routing/channel-state-commands";
import type { Circuits } from "../../routing/circuits";
import type { KeyRotation } from "../../routing/key-rotation";
import { longestWindow } from "../../routing/plan/longest-window";
import { findRoute } from "../../routing/route";
import type { WireError } from "../../wire/canonical/wire-error";
import { errorEvent } from "./error-event";
import { watchGrowingMessages } from "./growing-messages";
import { openUpstream } from "./open-upstream";
import { ratesOf } from "./rates";
import { Session } from "./session";
import { SessionBooks } from "./session-books";
import { SessionHold } from "./session-hold";
import { Tally } from "./tally";
import { watchCaller } from "./watch-caller";

export type SessionShared = {
  sql: Sql;
  settler: Settler;
  leaseBook: LeaseBook;
  snapshot: SnapshotStore;
  pools: Pools;
  circuits: Circuits;
  keyRotation: KeyRotation;
  limits: Limits;
  drains: UpstreamDrains;
  random: () => number;
  authenticate: (exchange: Exchange) => Caller | Promise<Caller>;
  bodyBudget: BodyBudget;
  bodyDeadline: BodyDeadline;
  /** How many sessions of each key run in this process. */
  sessionsOfKeys: Map<number, number>;
  /** Larger frames close the session. */
  frameBytesMax: number;
  /** When the process stops; Infinity = it goes on. */
  stopsAt: (isRunning: boolean) => number;
};

/** The reservation follows the session by other means. */
const NO_BUDGET: Budget = { follow: () => {}, checkAt: Number.POSITIVE_INFINITY, check: () => "go" };

/** One session, from key to its last charge. Throws RelayError where it does not begin. */
export async function serveSession(
  shared: SessionShared,
  exchange: Exchange,
  call: Call,
  client: WebSocket,
  socket: Duplex,
): Promise<void> {
  const caller = await shared.authenticate(exchange);
  const leave = enterKey(shared, caller.token.id);
  try {
    await serveAdmitted({ shared, exchange, call, client, socket, caller });
  } finally {
    leave();
  }
}

/** Throws 429 where the key has as many sessions as it may have. Returns what ends its place. */
function enterKey({ sessionsOfKeys, snapshot }: SessionShared, token: number): () => void {
  const { RealtimeSessionsPerKey: max } = snapshot.current().options;
  const running = sessionsOfKeys.get(token) ?? 0;
  if (max > 0 && running >= max) {
    throw new RelayError("too_many_sessions", { limit: max });
  }
  sessionsOfKeys.set(token, running + 1);
  return () => {
    const left = (sessionsOfKeys.get(token) ?? 1) - 1;
    if (left === 0) sessionsOfKeys.delete(token);
    else sessionsOfKeys.set(token, left);
  };
}

async function serveAdmitted(admitted: Omit<Admitted, "permit">): Promise<void> {
  const { shared, exchange, caller } = admitted;
  const permit = await shared.limits.enter(caller, shared.snapshot.current().options, exchange);
  let isServed = false;
  try {
    if (!shared.settler.hasRoom()) throw databaseAway();
    isServed = await new Serving({ ...admitted, permit }).run();
  } finally {
    permit.leave(isServed);
  }
}

type Admitted = {
  shared: SessionShared;
  exchange: Exchange;
  call: Call;
  client: WebSocket;
  socket: Duplex;
  caller: Caller;
  permit: Permit;
};

class Serving {
  private readonly shared: SessionShared;
  private readonly exchange: Exchange;
  private readonly client: WebSocket;
  private readonly socket: Duplex;
  private readonly caller: Caller;
  private readonly permit: Permit;
  private readonly snapshot: Snapshot;
  private readonly chargeable: Chargeable;
  private readonly hold: SessionHold;
  private readonly tally: Tally;
  private readonly seats: ChannelSeats;
  private session: Session | null = null;
  private stopWatching = (): void => {};
  private books: SessionBooks | null = null;

  constructor({ shared, exchange, call, client, socket, caller, permit }: Admitted) {
    this.shared = shared;
    this.exchange = exchange;
    this.client = client;
    this.socket = socket;
    this.caller = caller;
    this.permit = permit;
    this.snapshot = shared.snapshot.current();
    const { options } = this.snapshot;
    const intake = readSession(call);
    exchange.model = intake.model;
    const route = findRoute(caller, intake.model, this.snapshot, intake.operation);
    const quote = quoteRequest(intake, route, caller.user, this.snapshot);
    this.chargeable = {
      exchange,
      caller,
      operation: call.operation,
      intake,
      route,
      quote,
      reservation: null,
      preference: null,
      options,
      isLogged: options.LogConsumeEnabled,
      requestedModel: intake.model,
    };
    const rates = ratesOf(quote.price);
    this.tally = new Tally(rates, {
      window: longestWindow(intake.model, route.tiers ?? []),
      outputMax: quote.limits.output,
      thinks: isKnownToThink(intake.model),
    });
    this.seats = shared.limits.seats(caller, this.snapshot, exchange, quote);
    this.hold = new SessionHold({
      leaseBook: shared.leaseBook,
      permit,
      reserve: (amounts) => reserve(shared.sql, shared.leaseBook, caller, amounts),
      rates,
      requestId: exchange.id,
      onAnswer: () => this.session?.recheck(true),
    });
  }

  /** False = the caller got an error before the session began. */
  async run(): Promise<boolean> {
    const { shared, hold, tally, seats, exchange } = this;
    try {
      await this.countTokens();
      await hold.open(tally.needed());
      const delivery = await dispatch(this.dispatchSettings());
      this.stopWatching();
      seats.leave(this.books?.total.tokens ?? 0);
      const settlement = this.lastRow(delivery);
      // From here on it has its row.
      exchange.refusalCaller = null;
      const quota = toQuota(this.books?.total.quota ?? 0);
      exchange.settled = { settlement: { ...settlement, quota }, delivery };
      await shared.settler.settle(settlement);
      if (delivery.outcome !== "failed") return true;
      throw passedOn(delivery.reply, delivery.retryAfterMs);
    } finally {
      this.stopWatching();
      seats.leave(0);
      hold.close();
      exchange.whenGone(null);
    }
  }

  private async countTokens(): Promise<void> {
    const { permit, chargeable } = this;
    if (permit.takeTokens) await permit.takeTokens(() => expectedTokens(chargeable.quote));
  }

  /** The row of the session as a whole; what it cost is in the rows of its parts. */
  private lastRow(delivery: Delivery) {
    const { chargeable, books, session, exchange } = this;
    const settlement = buildSettlement(chargeable, { delivery, usage: NO_USAGE });
    if (delivery.outcome === "failed" || !books || !session) return settlement;
    const { charges, quota } = books.total;
    settlement.content = `session ended: ${session.why}`;
    settlement.cost = NO_COST;
    settlement.other.ws = true;
    settlement.other.realtime = { session: exchange.id, ended: session.why, charges, quota };
    return settlement;
  }

  private async attempt(asking: AttemptSettings): Promise<AttemptEnd> {
    const { shared, exchange, client, hold, tally } = this;
    const opened = await openUpstream(asking, shared.frameBytesMax);
    if (!("socket" in opened)) return opened;
    asking.onFirst?.();
    const { request } = asking;
    const { model } = this.chargeable.intake;
    const books = this.openBooks(asking);
    const session = new Session({
      exchange,
      client,
      opened,
      books,
      hold,
      tally,
      rules: {
        model,
        upstreamModel: request.model,
        tally,
        options: () => shared.snapshot.current().options,
        isPriced: (name, promptBytes) => books.expectTranscription(name, promptBytes),
      },
      redact: (text) => request.secrets.redact(text),
      objection: watchCaller(shared, exchange, this.caller, this.chargeable),
      hasRoom: () => shared.settler.hasRoom(),
      endsAt: asking.begunAt + asking.limits.stream,
      stopsAt: shared.stopsAt,
      pingMs: asking.keepAliveMs,
    });
    this.books = books;
    this.session = session;
    this.stopWatching();
    this.stopWatching = watchGrowingMessages({
      client,
      socket: this.socket,
      share: shared.bodyBudget.open(this.caller.user.id),
      deadline: shared.bodyDeadline,
      onFault: (error) => session.fail(error),
    });
    session.start();
    return session.ended;
  }

  private openBooks({ request }: AttemptSettings): SessionBooks {
    const { shared, exchange, hold, tally, permit, chargeable } = this;
    return new SessionBooks({
      session: chargeable,
      settler: shared.settler,
      permit,
      hold,
      tally,
      quoteOf: (model, meters) => this.quoteOf(model, meters),
      onCharged: () => this.countAgain(),
      onBounded: (channelId, model = chargeable.intake.model, rejected) => {
        void tellOfBoundedUsage(shared.sql, { channelId, model }, rejected);
      },
      used: [...exchange.tried],
      request,
    });
  }

  /** The tokens of the next response count in the minute in which it begins. */
  private countAgain(): void {
    this.countTokens().catch((error: unknown) => {
      if (error instanceof RelayError) this.session?.fail(error);
    });
  }

  /** Null = the model has no price for this. */
  private quoteOf(model: string, meters: readonly MeterUsage[]): Quote | null {
    const { snapshot, chargeable, caller } = this;
    const { need } = chargeable.intake;
    const asked = { model, isStream: true, need: meters.length > 0 ? { ...need, meters } : need };
    try {
      return quoteRequest(asked, chargeable.route, caller.user, snapshot);
    } catch (error) {
      if (error instanceof RelayError) return null;
      throw error;
    }
  }

  private dispatchSettings(): DispatchSettings {
    const { shared, exchange, chargeable, seats, snapshot } = this;
    const { sql, pools, circuits, keyRotation, drains, random } = shared;
    const { options } = snapshot;
    const { intake, route } = chargeable;
    return {
      attempt: (asking) => this.attempt(asking),
      exchange,
      intake,
      route,
      cap: null,
      budget: NO_BUDGET,
      asker: NOBODY,
      seats,
      pools,
      circuits,
      keyRotation,
      preference: null,
      drains,
      random,
      retryTimes: options.RetryTimes,
      continuable: null,
      before: null,
      otherModels: null,
      wholeAddedMs: 0,
      hedging: null,
      waitBudgetMs: options.RetryWaitSeconds * 1_000,
      keepAliveMs: options.StreamKeepAliveSeconds * 1_000 || Number.POSITIVE_INFINITY,
      passThrough: options["global.pass_through_request_enabled"],
      options,
      sql,
    };
  }
}

/** Tells a caller why its session did not begin. */
export function refuseSession(client: WebSocket, error: WireError, code: number, reason: string): void {
  if (client.readyState !== client.OPEN) return;
  client.send(errorEvent(error));
  client.close(code, reason);
}
