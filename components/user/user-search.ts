import { parseAsInteger, parseAsString, parseAsStringLiteral } from "nuqs/server";

const text = parseAsString.withDefault("");

export const USER_STATES = ["enabled", "disabled", "deleted"] as const;

export const userFilterParams = {
  keyword: text,
  group: text,
  role: parseAsInteger,
  status: parseAsStringLiteral(USER_STATES),
};
