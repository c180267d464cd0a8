import { createLoader, type inferParserType, parseAsString } from "nuqs/server";
import { pagingParams } from "@/components/data-table/list-params";
import { toMovementKind } from "@/components/topup/ledger-kind";
import {
  callbackFilterParams,
  ledgerFilterParams,
  orderFilterParams,
  walletTabParams,
} from "@/components/topup/topup-search";
import { nowSeconds } from "@/lib/clock";
import { resolveTimes } from "@/lib/time-range";
import type { StatementSearch } from "@/lib/topup/schemas";
import { createListLoader } from "../list-loader";

export const loadWalletSearch = createListLoader({
  ...pagingParams,
  ...walletTabParams,
  ...orderFilterParams,
  ...ledgerFilterParams,
  ...callbackFilterParams,
  /** The order number that the payment page returned with. */
  paid: parseAsString.withDefault(""),
});

/** Only the filters of the statement. */
export const loadLedgerFilters = createLoader(ledgerFilterParams);

/** Leaves out filters that are not set. */
export function toStatementSearch(
  params: inferParserType<typeof ledgerFilterParams>,
  timeZone: string,
): StatementSearch {
  const kind = toMovementKind(params.kind ?? "");
  return { ...(kind ? { kind } : {}), ...toPeriod(params, timeZone), timeZone };
}

/** What the time filter means now; what is open is left out. */
export function toPeriod(
  params: Pick<inferParserType<typeof ledgerFilterParams>, "range" | "start" | "end">,
  timeZone: string,
): { from?: number; until?: number } {
  const { start, end } = resolveTimes(params, nowSeconds(), timeZone);
  return { ...(start === null ? {} : { from: start }), ...(end === null ? {} : { until: end }) };
}
