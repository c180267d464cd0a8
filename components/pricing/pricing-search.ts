import { parseAsBoolean, parseAsInteger, parseAsString, parseAsStringLiteral } from "nuqs";
import { PRICE_SORTS } from "./price-math";

/** The URL contract of the price page: a link shows others the same models in the same group. */
export const pricingParams = {
  search: parseAsString.withDefault(""),
  /** A channel type. */
  vendor: parseAsInteger,
  billing: parseAsStringLiteral(["usage", "call"] as const),
  available: parseAsBoolean.withDefault(false),
  sort: parseAsStringLiteral(PRICE_SORTS).withDefault("usual"),
  /** Whose prices are shown; none = the reader's own group. */
  group: parseAsString,
};
