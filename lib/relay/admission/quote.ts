import { unpricedMeter } from "@/lib/billing/meter-rates";
import { limitsOf, type ModelLimitOptions, type ModelLimits, readsByItself } from "@/lib/billing/model-limits";
import { affordableTokens, type PriceRow, type PromptBound, priceBound, resolvePrice } from "@/lib/billing/price";
import type { PriceOptions } from "@/lib/billing/types";
import type { MeterUsage } from "@/lib/meters";
import type { UserRow } from "@/lib/snapshot/queries";
import type { Snapshot } from "@/lib/snapshot/store";
import { RelayError } from "../base/relay-error";
import type { Cap, Intake, Need } from "../operations/operation";
import { longestWindow, WINDOW_MAX } from "../routing/plan/longest-window";
import type { Route } from "../routing/route";
import {
  addedAnswerTokens,
  type BoundedContent,
  type HiddenContent,
  promptTokensMax,
} from "../wire/dialects/common/hidden-content";

/** What a request can cost, and how much of it is reserved before it starts (lib/billing/README.md). */
export type Quote = {
  price: PriceRow;
  need: Need;
  /** What the prompt can have: what the body shows, and what it does not. */
  prompt: PromptBound;
  hidden: QuotedContent | null;
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

/** `isLimited`: the upstream has to be told that there are fewer rounds than the request allows. */
type QuotedContent = BoundedContent & { isLimited: boolean };

/** Text that is predicted has at least so many bytes a token, as the text of a prompt. */
const PREDICTED_BYTES_PER_TOKEN = 2;
export const NO_PROMPT = { promptTokens: 0, audioPromptTokens: 0, writesAudio: false };

/**
 * What the rest of an answer can cost whose prompt was charged with its beginning. What the upstream reads unseen is part of that
 * prompt: it is kept for judging what is reported, and not reserved again.
 */
export function withoutPrompt({ price, limits, need, hidden }: Quote, isStream: boolean, expected: number): Quote {
  const { hidden: _, ...shown } = need;
  const prompt = { ...NO_PROMPT, writesAudio: need.prompt.writesAudio };
  return { ...quoteNeed({ ...shown, prompt }, isStream, { price, limits }, expected), hidden };
}

/** An answer for which less can be paid is not worth asking for. */
const LEAST_TOKENS = 16;
/** Most answers are shorter. A stream starts with as much, and goes on reserving. */
const FIRST_TOKENS = 2_048;
/** An answer that cannot be stopped may have as many before a small balance is divided. */
const FAIR_TOKENS = 4_096;

type RatioOf = Pick<Route, "groupRatio"> & Partial<Pick<Route, "tiers">>;
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
  const { isStream } = intake;
  const need = withReadings(intake.need, intake.model);
  const window = need.hidden ? longestWindow(intake.model, route.tiers ?? []) : 0;
  return quoteNeed(need, isStream, terms, snapshot.options.PreConsumedQuota, window);
}

const NO_METERS: readonly MeterUsage[] = [];

/** What such a model reads is bounded by its window, once. */
const OWN_READINGS: HiddenContent = {
  rounds: 1,
  roundsLeast: 1,
  roundTokens: null,
  storedTokens: 0,
  maySound: false,
  predictedBytes: 0,
};

function withReadings(need: Need, model: string): Need {
  return need.hidden === undefined && readsByItself(model) ? { ...need, hidden: OWN_READINGS } : need;
}

/** The request may be right, but as long as nobody sets a price no retry will help. `what`: the price that is missing. */
export function unpriced(model: string, what: string, param = "model"): RelayError {
  const message = `the model ${model} has no ${what}; an administrator has to set a price for it in the settings`;
  return new RelayError("model_price_error", message, { param });
}

/** The quote by itself. Pure. `expected`: tokens of an answer that an operator wants reserved at least. */
export function quoteNeed(
  need: Need,
  isStream: boolean,
  { price, limits }: Terms,
  expected: number,
  window = WINDOW_MAX,
): Quote {
  const { completionTokensMax: asked, choices, isWhole = false } = need;
  const ofModel = limits.isKnown ? Math.min(asked ?? limits.output, limits.output) : (asked ?? limits.output);
  const completionTokensMax = ofModel * choices;
  const hidden = need.hidden ? { ...need.hidden, window, isLimited: false } : null;
  const prompt = promptOf(need, completionTokensMax, hidden);
  const whole = { price, need, completionTokensMax, prompt, hidden };
  const fewest = hidden && { ...hidden, rounds: hidden.roundsLeast };
  const lean = fewest ? { ...whole, hidden: fewest, prompt: promptOf(need, completionTokensMax, fewest) } : whole;
  const most = bound(whole, completionTokensMax);
  // What a model thinks or says aloud is not seen in a stream, so that only a limit in the request keeps it in bounds.
  const isUnseen =
    isWhole || need.prompt.writesAudio || (limits.thinks === "asked" ? need.asksToThink : limits.thinks === "always");
  const isMetered = isStream && !isUnseen && price.modelPrice === null && !need.isBackground;
  const first = Math.max(FIRST_TOKENS, expected) * choices;
  return {
    price,
    need,
    prompt,
    hidden,
    limits,
    completionTokensMax,
    isMetered,
    isUnseen,
    amount: isMetered ? bound(whole, first) : most,
    least: isWhole ? most : bound(lean, LEAST_TOKENS * choices),
    fair: isMetered ? bound(lean, first) : isWhole ? most : bound(lean, FAIR_TOKENS * choices),
    most,
  };
}

type Bounded = Pick<Quote, "price" | "need" | "prompt" | "hidden" | "completionTokensMax">;

/** What a request costs at most with an answer of so many tokens. */
function bound({ price, need, prompt, hidden, completionTokensMax }: Bounded, tokens: number): number {
  const answer = Math.min(completionTokensMax, tokens) + addedAnswerTokens(hidden, PREDICTED_BYTES_PER_TOKEN);
  return priceBound(prompt, answer, price, need.meters);
}

function promptOf({ prompt }: Need, answerTokens: number, hidden: BoundedContent | null): PromptBound {
  if (!hidden) return prompt;
  const { promptTokens, audioPromptTokens, writesAudio } = prompt;
  const all = promptTokensMax(promptTokens, answerTokens, hidden);
  const sound = audioPromptTokens * hidden.rounds;
  if (!hidden.maySound) return { promptTokens: all, audioPromptTokens: sound, writesAudio };
  return { promptTokens, audioPromptTokens: sound + all - promptTokens, writesAudio };
}

/**
 * The quote for what was reserved: where that is less than the amount, with as many calls of tools at the upstream as it pays
 * for beside an answer.
 */
export function withinAmount(quote: Quote, amount: number): Quote {
  const { hidden, need, completionTokensMax } = quote;
  if (!hidden || hidden.rounds === hidden.roundsLeast || amount >= quote.amount) return quote;
  const withRounds = (rounds: number): Quote => {
    const fewer = { ...hidden, rounds, isLimited: true };
    const made = { ...quote, hidden: fewer, prompt: promptOf(need, completionTokensMax, fewer) };
    return { ...made, most: bound(made, completionTokensMax) };
  };
  let [paid, unpaid] = [hidden.roundsLeast, hidden.rounds];
  while (unpaid - paid > 1) {
    const middle = Math.floor((paid + unpaid) / 2);
    if (bound(withRounds(middle), FAIR_TOKENS * need.choices) <= amount) paid = middle;
    else unpaid = middle;
  }
  return withRounds(paid);
}

/** How many tokens of the answer an amount pays for, and at most as many as it can have. */
export function tokensFor(amount: number, quote: Bounded & Pick<Quote, "most">): number {
  const { need, price, prompt, hidden, completionTokensMax, most } = quote;
  if (amount >= most) return completionTokensMax;
  const paid = affordableTokens(amount, prompt, price, need.meters);
  return Math.min(completionTokensMax, Math.max(0, paid - addedAnswerTokens(hidden, PREDICTED_BYTES_PER_TOKEN)));
}

/** The limits that keep a request within its reservation; null = the reservation follows the answer. */
export function capFor(amount: number, quote: Quote): Cap | null {
  const { need, completionTokensMax, hidden } = quote;
  const calls = hidden?.isLimited ? { calls: hidden.rounds - 1 } : null;
  if (quote.isMetered) return calls && { perChoice: Number.POSITIVE_INFINITY, ofModel: 0, ...calls };
  const tokens = tokensFor(amount, quote);
  const ofModel = Math.ceil(completionTokensMax / need.choices);
  // The whole answer is paid for: only a limit that a channel's setting raises has to be lowered again.
  const isPaid = tokens >= completionTokensMax;
  const most = Math.max(ofModel, need.completionTokensMax ?? 0);
  return { perChoice: isPaid ? most : Math.max(1, Math.floor(tokens / need.choices)), ofModel, ...calls };
}
