import { createLoader, type inferParserType, parseAsString } from "nuqs/server";
import { pagingParams } from "@/components/data-table/list-params";
import { toMovementKind } from "@/components/topup/ledger-kind";
import {
  callbackFilterParams,
  ledgerFilterParams,
  orderFilterParams,
  walletTabParams,
} from "@/components/topup/topup-search";
import type { StatementSearch } from "@/lib/topup/schemas";
import { createListLoader } from "../list-loader";

/** The URL contract of the wallet; each part reads what is its own. */
export const loadWalletSearch = createListLoader({
  ...pagingParams,
  ...walletTabParams,
  ...orderFilterParams,
  ...ledgerFilterParams,
  ...callbackFilterParams,
  /** The order that a payment page came back for. */
  paid: parseAsString.withDefault(""),
});

/** The filters of the statement alone. */
export const loadLedgerFilters = createLoader(ledgerFilterParams);

/** What of these is set, as the statement is searched by. */
export function toStatementSearch(params: inferParserType<typeof ledgerFilterParams>): StatementSearch {
  const kind = toMovementKind(params.kind ?? "");
  return {
    ...(kind ? { kind } : {}),
    ...(params.start === null ? {} : { from: params.start }),
    ...(params.end === null ? {} : { until: params.end }),
  };
}
