import { parseAsInteger, parseAsString } from "nuqs/server";

const text = parseAsString.withDefault("");

/** The filters of the usage log in the address; times are unix seconds. */
export const logFilterParams = {
  start: parseAsInteger,
  end: parseAsInteger,
  token: text,
  model: text,
  group: text,
  channel: parseAsInteger,
  username: text,
  request: text,
  type: parseAsInteger.withDefault(0),
};
