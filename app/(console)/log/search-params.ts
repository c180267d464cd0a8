import { createLoader, parseAsInteger, parseAsString } from "nuqs/server";

const text = parseAsString.withDefault("");

/** The URL contract of the usage log; times are unix seconds. */
const logSearchParams = {
  page: parseAsInteger.withDefault(1),
  pageSize: parseAsInteger.withDefault(10),
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

export const loadLogSearch = createLoader(logSearchParams);
