import { parseAsInteger, parseAsStringLiteral } from "nuqs/server";
import { TIME_RANGES } from "@/lib/time-range";

/** The time filter in the URL: a named period, or a start and end in unix seconds, both inclusive. */
export const timeParams = {
  range: parseAsStringLiteral(TIME_RANGES),
  start: parseAsInteger,
  end: parseAsInteger,
};
