import { parseAsInteger, parseAsString } from "nuqs/server";

const text = parseAsString.withDefault("");

/** The audit log filters in the URL. Times are unix seconds; `before` is the id of the entry where the page starts. */
export const auditFilterParams = {
  actor: text,
  action: text,
  subject: text,
  from: parseAsInteger,
  to: parseAsInteger,
  before: parseAsInteger,
};
