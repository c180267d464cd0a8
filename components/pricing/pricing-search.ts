import { parseAsBoolean, parseAsInteger, parseAsString, parseAsStringLiteral } from "nuqs";
import { MODALITIES } from "@/lib/billing/modality";
import { PRICE_SORTS } from "./price-math";

/** The URL parameters of the pricing page, so that a link shows the same models and group. */
export const pricingParams = {
  search: parseAsString.withDefault(""),
  /** A channel type. */
  vendor: parseAsInteger,
  billing: parseAsStringLiteral(["usage", "call"] as const),
  input: parseAsStringLiteral(MODALITIES),
  available: parseAsBoolean.withDefault(false),
  sort: parseAsStringLiteral(PRICE_SORTS).withDefault("usual"),
  /** The group whose prices are shown; null = the user's own group. */
  group: parseAsString,
};
