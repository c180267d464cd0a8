import { parseAsInteger, parseAsString } from "nuqs/server";

export const redemptionFilterParams = { keyword: parseAsString.withDefault(""), status: parseAsInteger };
