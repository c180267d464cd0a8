import { parseAsBoolean, parseAsInteger, parseAsString, parseAsStringLiteral } from "nuqs/server";
import { timeParams } from "@/components/data-table/list-params";
import { type FilterField, type FilterPart, LOG_FILTERS, type UsageLog } from "@/lib/usage-log/columns";

const text = parseAsString.withDefault("");
const parsers = {
  text,
  pattern: text,
  id: parseAsInteger,
  type: parseAsInteger.withDefault(0),
  flag: parseAsBoolean.withDefault(false),
};

/** The usage log filters in the URL. */
export const logFilterParams = {
  ...timeParams,
  ...(Object.fromEntries(LOG_FILTERS.map(({ address, input }) => [address, parsers[input]])) as {
    [Field in FilterField as FilterPart<Field, "address">]: (typeof parsers)[FilterPart<Field, "input">];
  }),
};

export const LOG_VIEWS = ["rows", "failures"] as const;
/** What the page shows of the rows that match: the rows, or failed requests by cause. */
export const logViewParam = parseAsStringLiteral(LOG_VIEWS).withDefault("rows");

/** A row's place in the log, for the URL. With its time it is found by the primary key. */
export const peekKey = ({ createdAt, id }: Pick<UsageLog, "createdAt" | "id">): string => `${createdAt}-${id}`;

/** Null for a text that is no place. */
export function readPeekKey(text: string | null): { createdAt: number; id: number } | null {
  const [, createdAt, id] = /^(\d{1,11})-(\d{1,15})$/.exec(text ?? "") ?? [];
  return createdAt === undefined || id === undefined ? null : { createdAt: Number(createdAt), id: Number(id) };
}
