import { parseAsInteger, parseAsString, parseAsStringLiteral } from "nuqs/server";

const text = parseAsString.withDefault("");

/** The filters of the drawing tasks in the address; times are unix seconds. */
export const drawingFilterParams = {
  start: parseAsInteger,
  end: parseAsInteger,
  id: text,
  status: text,
  action: text,
  channel: parseAsInteger,
};

export const drawingViewParams = {
  view: parseAsStringLiteral(["table", "gallery"] as const).withDefault("table"),
};
