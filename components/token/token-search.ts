import { parseAsInteger, parseAsString } from "nuqs/server";

const text = parseAsString.withDefault("");

/** The filters of the token list in the address. */
export const tokenFilterParams = { keyword: text, key: text, status: parseAsInteger };
