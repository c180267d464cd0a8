import { parseAsBoolean } from "nuqs/server";

/** The filter of the price list in the URL that the server applies. */
export const priceListParams = { builtIn: parseAsBoolean.withDefault(false) };
