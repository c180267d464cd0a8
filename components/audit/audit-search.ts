import { parseAsInteger, parseAsString } from "nuqs/server";

const text = parseAsString.withDefault("");

/** Filters of the audit log in the address; times are unix seconds, `before` is the entry to go on from. */
export const auditFilterParams = {
  actor: text,
  action: text,
  subject: text,
  from: parseAsInteger,
  to: parseAsInteger,
  before: parseAsInteger,
};
