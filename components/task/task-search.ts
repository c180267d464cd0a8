import { parseAsInteger, parseAsString, parseAsStringLiteral } from "nuqs/server";
import { timeParams } from "@/components/data-table/list-params";

const text = parseAsString.withDefault("");

/** The filters of asynchronous and drawing tasks in the URL. */
export const jobFilterParams = {
  ...timeParams,
  id: text,
  status: text,
  action: text,
  channel: parseAsInteger,
};

export const drawingViewParams = {
  view: parseAsStringLiteral(["table", "gallery"] as const).withDefault("table"),
};
