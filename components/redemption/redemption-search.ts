import { parseAsInteger, parseAsString } from "nuqs/server";

/** The filters of the list of redemption codes in the address. */
export const redemptionFilterParams = { keyword: parseAsString.withDefault(""), status: parseAsInteger };
