import { parseAsInteger, parseAsString } from "nuqs/server";

const text = parseAsString.withDefault("");

/** The filters of asynchronous and drawing tasks in the URL; times are unix seconds. */
export const jobFilterParams = {
  start: parseAsInteger,
  end: parseAsInteger,
  id: text,
  status: text,
  action: text,
  channel: parseAsInteger,
};
