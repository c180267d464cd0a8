import { type inferParserType, parseAsBoolean, parseAsInteger, parseAsString, parseAsStringLiteral } from "nuqs/server";
import { writeStored } from "@/components/ui/stored";
import { TIME_RANGES } from "@/lib/time-range";

export const PAGE_SIZES = [10, 20, 50, 100] as const;

/** Key of the page size in the browser's storage, and name of the cookie that tells the server. */
export const PAGE_SIZE_KEY = "page-size";

/** Null when the size is not one of those offered. */
export function toPageSize(text: string | null | undefined): number | null {
  return PAGE_SIZES.find((size) => String(size) === text) ?? null;
}

const ONE_YEAR = 31_536_000;

/** Stores the page size for all lists. The cookie tells the server, which renders the rows. */
export function rememberPageSize(size: number): void {
  writeStored(PAGE_SIZE_KEY, String(size));
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every supported browser
  document.cookie = `${PAGE_SIZE_KEY}=${size}; path=/; max-age=${ONE_YEAR}; samesite=lax`;
}

/** Paging of every list. Without `pageSize` the size that the user last chose applies. */
export const pagingParams = { page: parseAsInteger.withDefault(1), pageSize: parseAsInteger };

/** The drawer beside a list: the row with this id, or a new one. */
export const drawerParams = { edit: parseAsInteger, create: parseAsBoolean.withDefault(false) };

/** All panels beside a list: its drawer, the channel test, the tag drawer. */
export const panelParams = { ...drawerParams, test: parseAsInteger, editTag: parseAsString };

/** One name for the panel that the URL asks for, the same on the server and in the browser; null for none. */
export function nameOfPanel({ edit, create, test, editTag }: Partial<inferParserType<typeof panelParams>>) {
  if (typeof editTag === "string") return `tag ${editTag}`;
  if (typeof test === "number") return `test ${test}`;
  if (typeof edit === "number") return `edit ${edit}`;
  return create ? "create" : null;
}

/** Sorting by one of a list's columns; `first` is the default. */
export function sortParams<const Sort extends string>(sorts: readonly Sort[], first: Sort) {
  return {
    sort: parseAsStringLiteral<Sort>(sorts).withDefault(first as NonNullable<Sort>),
    descending: parseAsBoolean.withDefault(true),
  };
}

/** The row that is open beside the list. */
export const peekParams = { peek: parseAsString };

/** The same where rows are named by their id, as the server reads it. */
export const peekIdParams = { peek: parseAsInteger };

/** The time filter in the URL: a named period, or a start and end in unix seconds, both inclusive. */
export const timeParams = {
  range: parseAsStringLiteral(TIME_RANGES),
  start: parseAsInteger,
  end: parseAsInteger,
};

/** The filters of the URL as a query string, in the order of `params`. Leaves out paging and panels. */
export function filterQuery(address: { get: (name: string) => string | null }, params: object): string {
  const query = new URLSearchParams();
  for (const name of Object.keys(params)) {
    const value = address.get(name);
    if (value !== null && value !== "") query.set(name, value);
  }
  return query.toString();
}
