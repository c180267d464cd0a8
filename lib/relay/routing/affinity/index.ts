import type { PriceRow } from "@/lib/billing/types";
import type { KeyUse as Caller } from "@/lib/snapshot/key-use";
import type { Snapshot, SnapshotChannel, Tier } from "@/lib/snapshot/store";
import { upstreamModelOf } from "@/lib/snapshot/upstream-model";
import type { Exchange } from "../../http/exchange";
import type { Intake } from "../../operations/operation";
import type { Route } from "../route";
import { identify } from "./identity";
import { Load } from "./load";
import { type Known, Preference } from "./preference";
import { WarmPlaces } from "./warm-places";

export type { Preference } from "./preference";

type Asking = { caller: Caller; exchange: Pick<Exchange, "request">; snapshot: Pick<Snapshot, "options"> };
type Priced = { price: Pick<PriceRow, "modelPrice" | "cacheRatio"> };
/** A request to one model. */
type Offer = { intake: Intake; route: Route; quote: Priced };

export type Affinity = {
  /** Null = by weight: affinity is off, there is nothing to choose, or no conversation is known. */
  of(asking: Asking, offer: Offer): Preference | null;
};

/** Keeps conversations where their prompts are cached (docs/failover.md). One per process. */
export function createAffinity(nowSeconds = () => Date.now() / 1_000): Affinity {
  const now = (): number => nowSeconds() * 1_000;
  const known: Known = { places: new WarmPlaces(), channels: new Load(), keys: new Load(), now };
  return {
    of({ caller, exchange, snapshot }, { intake, route, quote }) {
      const { AffinitySeconds: seconds } = snapshot.options;
      if (seconds === 0) return null;
      const { model } = intake;
      const { hasChoice, isCheaperCached } = factsOf(route.tiers, model);
      if (!hasChoice) return null;
      const said = intake.conversation();
      if (!said) return null;
      const { conversation, promptBytes } = said;
      const { headers } = exchange.request;
      const identity = identify({ userId: caller.user.id, model, headers, conversation, promptBytes });
      if (!identity) return null;
      return new Preference(known, identity, seconds * 1_000, isCheaperCached || isDiscounted(quote));
    },
  };
}

type Facts = {
  /** There is more than one channel or key to choose from. */
  hasChoice: boolean;
  /** Some channel has a lower price of its own for cached tokens. */
  isCheaperCached: boolean;
};

/** The tiers of a model never change in a snapshot. */
const factsByTiers = new WeakMap<readonly Tier[], Facts>();

function factsOf(tiers: readonly Tier[], model: string): Facts {
  const known = factsByTiers.get(tiers);
  if (known) return known;
  const hasChoice = tiers.some((tier) => tier.length > 1 || tier.some(({ keys }) => keys !== null && keys.length > 1));
  const isCheaperCached = tiers.some((tier) => tier.some((channel) => isCheaperCachedAt(channel, model)));
  const facts = { hasChoice, isCheaperCached };
  factsByTiers.set(tiers, facts);
  return facts;
}

function isDiscounted({ price }: Priced): boolean {
  return price.modelPrice === null && price.cacheRatio < 1;
}

function isCheaperCachedAt(channel: SnapshotChannel, model: string): boolean {
  const { prices } = channel.setting.cost;
  const upstreamModel = upstreamModelOf(model, channel, false) ?? model;
  for (const name of [upstreamModel, model]) {
    const own = Object.hasOwn(prices, name) ? prices[name] : undefined;
    if (own) return own.per_call === undefined && own.cached !== undefined && own.cached < (own.input ?? 0);
  }
  return false;
}
