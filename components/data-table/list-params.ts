import { type inferParserType, parseAsBoolean, parseAsInteger, parseAsString, parseAsStringLiteral } from "nuqs/server";

export const PAGE_SIZES = [10, 20, 50, 100] as const;

/** Where the size of a page is remembered: in the browser's storage, and in a cookie so that the server knows it too. */
export const PAGE_SIZE_KEY = "page-size";

/** The size of a page that is offered, or null. */
export function toPageSize(text: string | null | undefined): number | null {
  return PAGE_SIZES.find((size) => String(size) === text) ?? null;
}

/** Paging of every list. Without `pageSize` the size counts that this reader chose last. */
export const pagingParams = { page: parseAsInteger.withDefault(1), pageSize: parseAsInteger };

/** What the drawer beside a list shows: the row with this id, or a new one. */
export const drawerParams = { edit: parseAsInteger, create: parseAsBoolean.withDefault(false) };

/** Everything that a list shows beside it: its drawer, the test of a channel, the drawer of a tag. */
export const panelParams = { ...drawerParams, test: parseAsInteger, editTag: parseAsString };

/** One name for the panel that the URL asks for, the same at the server and in the browser; null for none. */
export function nameOfPanel({ edit, create, test, editTag }: Partial<inferParserType<typeof panelParams>>) {
  if (typeof editTag === "string") return `tag ${editTag}`;
  if (typeof test === "number") return `test ${test}`;
  if (typeof edit === "number") return `edit ${edit}`;
  return create ? "create" : null;
}

/** Sorting by one of a list's columns; `first` is the list's own order. */
export function sortParams<const Sort extends string>(sorts: readonly Sort[], first: Sort) {
  return {
    sort: parseAsStringLiteral<Sort>(sorts).withDefault(first as NonNullable<Sort>),
    descending: parseAsBoolean.withDefault(true),
  };
}
