import { parseAsInteger, parseAsString } from "nuqs/server";

const text = parseAsString.withDefault("");

export const tokenFilterParams = { keyword: text, key: text, status: parseAsInteger };
