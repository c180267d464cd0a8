import { contextWindow } from "@/lib/billing/context-window";
import type { Snapshot, Tier } from "@/lib/snapshot/store";
import { upstreamModelOf } from "@/lib/snapshot/upstream-model";
import type { Caller } from "../admission/authenticate";
import { CHANNELS_FULL } from "../admission/limits/channel-seats";
import { type Quote, quoteRequest } from "../admission/quote";
import { RelayError } from "../base/relay-error";
import type { Attempt } from "../http/attempts";
import type { Delivery, Spent } from "../http/delivery";
import type { Intake } from "../operations/operation";
import { openCircuits } from "../routing/attempt-circuit";
import type { Circuits } from "../routing/circuits";
import { findRoute, type Route, routeForStored } from "../routing/route";
import { isBound } from "./bind-route";

/** A request to one model: its channels, and what it can cost. */
export type Offer = { intake: Intake; route: Route; quote: Quote };

/** The models that a request may go on to, the caller's own before those of the option. */
export class Fallbacks {
  private readonly names: readonly string[];
  /** How many of them the caller named. */
  private readonly ownCount: number;
  private readonly requested: Intake;
  private readonly caller: Caller;
  private readonly snapshot: Snapshot;
  /** Why the requested model cannot be asked. */
  unavailable: RelayError | null = null;
  private at = 0;
  /** The next one, if it is known already. */
  private ahead: Offer | null = null;
  /** Upstream models that the request is too long for, and the largest window known of them. */
  private readonly tooShort = new Set<string>();
  private windowRefused = 0;

  constructor(names: readonly string[], ownCount: number, requested: Intake, caller: Caller, snapshot: Snapshot) {
    this.names = names;
    this.ownCount = ownCount;
    this.requested = requested;
    this.caller = caller;
    this.snapshot = snapshot;
  }

  private get passThrough(): boolean {
    return this.snapshot.options["global.pass_through_request_enabled"];
  }

  /** The next model that the caller may ask, with channels and a price; null = there is none. */
  peek(): Offer | null {
    for (;;) {
      this.ahead = this.ahead && this.roomy(this.ahead);
      if (this.ahead) return this.ahead;
      const name = this.names[this.at++];
      if (name === undefined) return null;
      this.ahead = this.offerOf(name);
    }
  }

  take(): Offer | null {
    const offer = this.peek();
    this.ahead = null;
    return offer;
  }

  /** Whether one of them may go on with a stream of another one: of those that the caller named, and by option the others. */
  get mayWrite(): boolean {
    return this.at < this.writerCount || (this.ahead !== null && this.at <= this.writerCount);
  }

  /** The next one that may go on with a stream of another one; null = there is none. */
  takeWriter(): Offer | null {
    const offer = this.mayWrite ? this.peek() : null;
    if (!offer || this.at > this.writerCount) return null;
    return this.take();
  }

  private get writerCount(): number {
    return this.snapshot.options.FallbackContinuation ? this.names.length : this.ownCount;
  }

  /** Whether the next model has a channel that did not fail lately. */
  isWell(circuits: Circuits): boolean {
    const offer = this.peek();
    if (!offer) return false;
    const isOpen = openCircuits({ ...offer, circuits, passThrough: this.passThrough });
    return offer.route.tiers.some((tier) => tier.some(({ id }) => !isOpen(id)));
  }

  isRequested({ intake }: Offer): boolean {
    return intake === this.requested;
  }

  /** The request is too long for a model, which these upstreams have under these names. */
  refusedAsTooLong(model: string, upstreamModels: ReadonlySet<string>): void {
    for (const name of [model, ...upstreamModels]) {
      this.tooShort.add(name);
      this.windowRefused = Math.max(this.windowRefused, contextWindow(name) ?? 0);
    }
  }

  /** Without the channels that lead to a model that is too short; null = none is left. */
  private roomy(offer: Offer): Offer | null {
    if (this.tooShort.size === 0) return offer;
    const { intake, route } = offer;
    const { passThrough } = this;
    const window = contextWindow(intake.model);
    if (window !== null && window <= this.windowRefused) return null;
    const tiers: Tier[] = route.tiers
      .map((tier) =>
        tier.filter(
          (channel) => !this.tooShort.has(upstreamModelOf(intake.model, channel, passThrough) ?? intake.model),
        ),
      )
      .filter((tier) => tier.length > 0);
    return tiers.length === 0 ? null : { ...offer, route: { ...route, tiers } };
  }

  private offerOf(model: string): Offer | null {
    const { caller, snapshot } = this;
    try {
      const intake = this.requested.withModel(model);
      const found = findRoute(caller, model, snapshot, this.requested.operation);
      const route = routeForStored(found, intake.storedAddress);
      return { intake, route, quote: quoteRequest(intake, route, caller.user, snapshot) };
    } catch (error) {
      if (error instanceof RelayError) return null;
      throw error;
    }
  }
}

/** Null = no other model may be asked. A channel that the caller named, or that has what the request builds on, is meant alone. */
export function fallbacksOf(caller: Caller, intake: Intake, snapshot: Snapshot): Fallbacks | null {
  const { ModelFallbacks: map } = snapshot.options;
  const { model, fallbacks: own } = intake;
  const ofOption = Object.hasOwn(map, model) ? map[model] : undefined;
  if ((own.length === 0 && ofOption === undefined) || caller.pinnedChannel !== null || isBound(intake) || intake.fits)
    return null;
  const others = new Set(own);
  others.delete(model);
  const { size: ownCount } = others;
  for (const name of ofOption ?? []) if (name !== model) others.add(name);
  return others.size === 0 ? null : new Fallbacks([...others], ownCount, intake, caller, snapshot);
}

export type Served<Request> = { request: Request; delivery: Delivery };

/** Asks one model. Throws RelayError where it is not asked at all: the balance does not carry it, its channels are full. */
export type Ask<Request> = (offer: Offer, before: Spent | null) => Promise<Served<Request>>;

/**
 * Asks one model after the other until one answers. If none does, the failure of the first one is returned, unless another
 * refused the content. If none could even be asked, throws why the requested one could not be.
 */
export async function askModels<Request>(
  first: Offer,
  fallbacks: Fallbacks,
  ask: Ask<Request>,
): Promise<Served<Request>> {
  let failed: Served<Request> | null = null;
  let before: Spent | null = null;
  let refused = fallbacks.unavailable;
  for (let offer: Offer | null = first; offer; offer = fallbacks.take()) {
    let served: Served<Request>;
    try {
      served = await ask(offer, before);
    } catch (error) {
      if (!(error instanceof RelayError) || (fallbacks.isRequested(offer) && !isFull(error))) throw error;
      refused ??= error;
      continue;
    }
    const { request, delivery } = served;
    if (delivery.outcome !== "failed") return served;
    nameModel(delivery.attempts, offer.intake.model);
    before = delivery.spent;
    if (failed === null || before.refusal === "policy")
      failed = { request: (failed as Served<Request> | null)?.request ?? request, delivery };
    if (before.refusal === "context") fallbacks.refusedAsTooLong(offer.intake.model, before.tooShort);
    else if (before.refusal !== null) break;
  }
  if (failed && before) return { ...failed, delivery: { ...failed.delivery, attempts: before.attempts } };
  throw refused ?? new Error("no model was asked");
}

/** Every channel of the model has as many requests as it may have. */
function isFull({ wire }: RelayError): boolean {
  return wire.code === CHANNELS_FULL;
}

/** Attempts without a model are those of the row's. */
export function nameModel(attempts: Attempt[] | null, model: string): void {
  for (const attempt of attempts ?? []) attempt.model ??= model;
}
