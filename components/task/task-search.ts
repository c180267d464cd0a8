import { parseAsInteger, parseAsString } from "nuqs/server";
import { timeParams } from "@/components/data-table/time-params";

const text = parseAsString.withDefault("");

/** The filters of asynchronous and drawing tasks in the URL. */
export const jobFilterParams = {
  ...timeParams,
  id: text,
  status: text,
  action: text,
  channel: parseAsInteger,
};
