import { parseAsInteger, parseAsString } from "nuqs/server";

/** The row that is open beside the list. */
export const peekParams = { peek: parseAsString };

/** The same where rows are named by their id, as the server reads it. */
export const peekIdParams = { peek: parseAsInteger };
