import { type PriceRow, priceBound, resolvePrice } from "@/lib/billing/price";
import type { Snapshot } from "@/lib/channel/snapshot";
import type { UserRow } from "@/lib/channel/snapshot-queries";
import { RelayError } from "../relay-error";
import { promptTokensUpperBound } from "../usage";
import type { ChatRequest } from "./parse-chat";
import type { Route } from "./route";

/** The price in force and the most the request is expected to cost. */
export type Quote = { price: PriceRow; reserve: number };

const pricesBySnapshot = new WeakMap<Snapshot, Map<string, PriceRow | null>>();

function priceInForce(model: string, route: Route, acceptsUnpriced: boolean, snapshot: Snapshot): PriceRow | null {
  let prices = pricesBySnapshot.get(snapshot);
  if (!prices) {
    prices = new Map();
    pricesBySnapshot.set(snapshot, prices);
  }
  const key = `${acceptsUnpriced} ${route.groupRatio} ${model}`;
  let price = prices.get(key);
  if (price === undefined) {
    price = resolvePrice(model, route.groupRatio, snapshot.options, acceptsUnpriced);
    prices.set(key, price);
  }
  return price;
}

/** Prices the request at most: its prompt by its length, its completion by its own limit or PreConsumedQuota. */
export function quoteChat(chat: ChatRequest, route: Route, user: UserRow, snapshot: Snapshot): Quote {
  const price = priceInForce(chat.model, route, user.acceptsUnpriced, snapshot);
  if (!price) {
    const message = `the model ${chat.model} has no price; an administrator has to set one`;
    throw new RelayError(500, message, { param: "model", code: "model_price_error" });
  }
  const perChoice = chat.completionMax ?? snapshot.options.PreConsumedQuota;
  const prompt = promptTokensUpperBound(chat.body.length, chat.messages);
  const reserve = priceBound(prompt, perChoice * chat.choices, price);
  return { price, reserve };
}
