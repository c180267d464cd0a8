import { createLoader, parseAsBoolean, parseAsInteger, parseAsString, parseAsStringLiteral } from "nuqs/server";
import { TOKEN_SORTS } from "@/lib/token/schemas";

/** The URL contract of the token list. `edit` is the id of the token in the drawer, `create` opens an empty one. */
const tokenSearchParams = {
  page: parseAsInteger.withDefault(1),
  pageSize: parseAsInteger.withDefault(10),
  keyword: parseAsString.withDefault(""),
  key: parseAsString.withDefault(""),
  status: parseAsInteger,
  sort: parseAsStringLiteral(TOKEN_SORTS).withDefault("id"),
  descending: parseAsBoolean.withDefault(true),
  edit: parseAsInteger,
  create: parseAsBoolean.withDefault(false),
};

export const loadTokenSearch = createLoader(tokenSearchParams);
