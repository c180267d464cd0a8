import { unpricedMeter } from "@/lib/billing/meter-rates";
import { limitsOf, type ModelLimitOptions, type ModelLimits } from "@/lib/billing/model-limits";
import { affordableTokens, type PriceRow, priceBound, resolvePrice } from "@/lib/billing/price";
import type { PriceOptions } from "@/lib/billing/types";
import type { MeterUsage } from "@/lib/meters";
import type { UserRow } from "@/lib/snapshot/queries";
import type { Snapshot } from "@/lib/snapshot/store";
import type { Cap, Intake, Need } from "../operations/operation";
import { RelayError } from "../relay-error";
import type { Route } from "./route";

/** What a request can cost, and how much of it is reserved before it starts (lib/billing/README.md). */
export type Quote = {
  price: PriceRow;
  need: Need;
  limits: ModelLimits;
  /** The most tokens that all choices can have together. */
  completionTokensMax: number;
  /** The reservation follows what the stream delivers; false = it holds for the whole answer. */
  isMetered: boolean;
  /** The answer may have tokens that its text does not show, or is one that cannot be had in part. */
  isUnseen: boolean;
  /** Reserved if there is that much, else less, but never less than `least`. */
  amount: number;
  least: number;
  /** What a request takes of a small balance before others get a part of it. */
  fair: number;
  /** Reserved instead of `amount` when this process holds that much anyway. */
  most: number;
};

/** An answer for which less can be paid is not worth asking for. */
const LEAST_TOKENS = 16;
/** Most answers are shorter. A stream starts with as much, and goes on reserving. */
const FIRST_TOKENS = 2_048;
/** An answer that cannot be stopped may have as many before a small balance is divided. */
const FAIR_TOKENS = 4_096;

type RatioOf = Pick<Route, "groupRatio">;
type Terms = { price: PriceRow; limits: ModelLimits };

/** Group ratio → model → terms; null = no price. Prices of a snapshot never change. */
type PriceBook = Map<number, Map<string, Terms | null>>;
type PriceBooks = { whateverPrice: PriceBook; onlyPriced: PriceBook };

/** The part of a snapshot that decides a price. */
type Prices = { options: PriceOptions & ModelLimitOptions & Pick<Snapshot["options"], "PreConsumedQuota"> };

const booksBySnapshot = new WeakMap<Prices, PriceBooks>();

function termsInForce(model: string, route: RatioOf, acceptsUnpriced: boolean, snapshot: Prices): Terms | null {
  const books = booksBySnapshot.get(snapshot) ?? { whateverPrice: new Map(), onlyPriced: new Map() };
  const book = acceptsUnpriced ? books.whateverPrice : books.onlyPriced;
  const known = book.get(route.groupRatio)?.get(model);
  if (known !== undefined) return known;
  const price = resolvePrice(model, route.groupRatio, snapshot.options, acceptsUnpriced);
  const terms = price && { price, limits: limitsOf(model, snapshot.options) };
  const all = book.get(route.groupRatio) ?? new Map<string, Terms | null>();
  book.set(route.groupRatio, all.set(model, terms));
  booksBySnapshot.set(snapshot, books);
  return terms;
}

/** What the request can cost and how much of it to reserve. Throws RelayError for a model without a price. */
export function quoteRequest(
  intake: Pick<Intake, "model" | "isStream" | "need">,
  route: RatioOf,
  user: Pick<UserRow, "acceptsUnpriced">,
  snapshot: Prices,
): Quote {
  const terms = termsInForce(intake.model, route, user.acceptsUnpriced, snapshot);
  if (!terms) throw unpriced(intake.model, "price");
  const { meters = NO_METERS, prompt } = intake.need;
  const { price } = terms;
  if (meters.length > 0) {
    const meter = unpricedMeter(meters, price, prompt.promptTokens + prompt.audioPromptTokens > 0);
    if (meter !== null) throw unpriced(intake.model, `price per ${meter}`);
  } else if (price.metersOnly) throw unpriced(intake.model, "price of tokens");
  return quoteNeed(intake.need, intake.isStream, terms, snapshot.options.PreConsumedQuota);
}

const NO_METERS: readonly MeterUsage[] = [];

/** The request may be right, but as long as nobody sets a price no retry will help. `what`: the price that is missing. */
export function unpriced(model: string, what: string, param = "model"): RelayError {
  const message = `the model ${model} has no ${what}; an administrator has to set a price for it in the settings`;
  return new RelayError(400, message, { type: "invalid_request_error", param, code: "model_price_error" });
}

/** The quote by itself. Pure. `expected`: tokens of an answer that an operator wants reserved at least. */
export function quoteNeed(need: Need, isStream: boolean, { price, limits }: Terms, expected: number): Quote {
  const { prompt, meters, completionTokensMax: asked, choices, isWhole = false } = need;
  const ofModel = limits.isKnown ? Math.min(asked ?? limits.output, limits.output) : (asked ?? limits.output);
  const completionTokensMax = ofModel * choices;
  const bound = (tokens: number): number =>
    priceBound(prompt, Math.min(completionTokensMax, tokens * choices), price, meters);
  const most = bound(completionTokensMax);
  // What a model thinks or says aloud is not seen in a stream, so that only a limit in the request keeps it in bounds.
  const isUnseen =
    isWhole || prompt.writesAudio || (limits.thinks === "asked" ? need.asksToThink : limits.thinks === "always");
  const isMetered = isStream && !isUnseen && price.modelPrice === null && !need.isBackground;
  const first = isMetered ? bound(Math.max(FIRST_TOKENS, expected)) : most;
  const fair = isMetered || isWhole ? first : bound(FAIR_TOKENS);
  return {
    price,
    need,
    limits,
    completionTokensMax,
    isMetered,
    isUnseen,
    amount: first,
    least: isWhole ? most : bound(LEAST_TOKENS),
    fair,
    most,
  };
}

/** How many tokens of the answer an amount pays for, and at most as many as it can have. */
export function tokensFor(amount: number, { need, price, completionTokensMax, most }: Quote): number {
  if (amount >= most) return completionTokensMax;
  return Math.min(completionTokensMax, affordableTokens(amount, need.prompt, price, need.meters));
}

/** The limit that keeps an answer within its reservation; null = the reservation follows the answer. */
export function capFor(amount: number, quote: Quote): Cap | null {
  if (quote.isMetered) return null;
  const { need, completionTokensMax } = quote;
  const tokens = tokensFor(amount, quote);
  const ofModel = Math.ceil(completionTokensMax / need.choices);
  // The whole answer is paid for: only a limit that a channel's setting raises has to be lowered again.
  if (tokens >= completionTokensMax) return { perChoice: Math.max(ofModel, need.completionTokensMax ?? 0), ofModel };
  return { perChoice: Math.max(1, Math.floor(tokens / need.choices)), ofModel };
}
