import { type PriceRow, resolvePrice } from "@/lib/billing/price";
import type { UserRow } from "@/lib/snapshot/queries";
import type { Snapshot } from "@/lib/snapshot/store";
import type { Intake } from "../operations/operation";
import { RelayError } from "../relay-error";
import type { Route } from "./route";

/** The price that applies and an upper estimate of the cost. */
export type Quote = { price: PriceRow; reserve: number };

/** Group ratio → model → price; null = no price. Prices of a snapshot never change. */
type PriceBook = Map<number, Map<string, PriceRow | null>>;
type PriceBooks = { whateverPrice: PriceBook; onlyPriced: PriceBook };

const booksBySnapshot = new WeakMap<Snapshot, PriceBooks>();

function priceInForce(model: string, route: Route, acceptsUnpriced: boolean, snapshot: Snapshot): PriceRow | null {
  const books = booksBySnapshot.get(snapshot) ?? { whateverPrice: new Map(), onlyPriced: new Map() };
  const book = acceptsUnpriced ? books.whateverPrice : books.onlyPriced;
  const known = book.get(route.groupRatio)?.get(model);
  if (known !== undefined) return known;
  const price = resolvePrice(model, route.groupRatio, snapshot.options, acceptsUnpriced);
  const prices = book.get(route.groupRatio) ?? new Map<string, PriceRow | null>();
  book.set(route.groupRatio, prices.set(model, price));
  booksBySnapshot.set(snapshot, books);
  return price;
}

/** Estimates the maximum cost, from the request's own limits or else PreConsumedQuota. */
export function quoteRequest(intake: Intake, route: Route, user: UserRow, snapshot: Snapshot): Quote {
  const price = priceInForce(intake.model, route, user.acceptsUnpriced, snapshot);
  if (!price) {
    const message = `the model ${intake.model} has no price; an administrator has to set one`;
    throw new RelayError(500, message, { param: "model", code: "model_price_error" });
  }
  return { price, reserve: intake.bound(price, snapshot.options.PreConsumedQuota) };
}
