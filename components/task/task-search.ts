import { parseAsInteger, parseAsString } from "nuqs/server";

const text = parseAsString.withDefault("");

/** The filters of the asynchronous tasks in the address; times are unix seconds. */
export const taskFilterParams = {
  start: parseAsInteger,
  end: parseAsInteger,
  id: text,
  status: text,
  action: text,
  channel: parseAsInteger,
};
