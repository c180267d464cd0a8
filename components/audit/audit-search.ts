import { parseAsInteger, parseAsString } from "nuqs/server";
import { timeParams } from "@/components/data-table/list-params";

const text = parseAsString.withDefault("");

/** The audit log filters in the URL. Times are unix seconds; `before` is the id of the entry where the page starts. */
export const auditFilterParams = {
  actor: text,
  action: text,
  subject: text,
  range: timeParams.range,
  from: parseAsInteger,
  to: parseAsInteger,
  before: parseAsInteger,
};

/** The filters without the page. */
const { before: _, ...conditions } = auditFilterParams;
export const auditViewParams = conditions;
