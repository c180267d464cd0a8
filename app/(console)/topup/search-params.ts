import { parseAsString } from "nuqs/server";
import { pagingParams } from "@/components/data-table/list-params";
import {
  callbackFilterParams,
  ledgerFilterParams,
  orderFilterParams,
  walletTabParams,
} from "@/components/topup/topup-search";
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
