import { parseAsString } from "nuqs/server";

/** The row that is open beside the list. */
export const peekParams = { peek: parseAsString };
