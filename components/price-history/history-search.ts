import { parseAsInteger, parseAsString } from "nuqs/server";

/** The filters of the price history in the URL; `before` is the id of the change where the page starts. */
export const priceHistoryParams = { name: parseAsString.withDefault(""), before: parseAsInteger };
