import { parseAsArrayOf, parseAsBoolean, parseAsString } from "nuqs/server";

/** The price list in the URL. */
export const priceListParams = {
  builtIn: parseAsBoolean.withDefault(false),
  /** Models that a link wants priced. */
  models: parseAsArrayOf(parseAsString).withDefault([]),
};
