import { parseAsString, parseAsStringLiteral } from "nuqs/server";
import { timeParams } from "@/components/data-table/list-params";

/** The tabs of the wallet page. "all" is for administrators, "callbacks" for root. */
export const WALLET_TABS = ["wallet", "orders", "ledger", "all", "callbacks"] as const;
export type WalletTab = (typeof WALLET_TABS)[number];

export const ORDER_STATES = ["pending", "success", "expired"] as const;
export const ORDER_PROVIDERS = ["epay", "stripe"] as const;
export const CALLBACK_OUTCOMES = ["credited", "ignored", "refused", "failed"] as const;

/** The selected tab in the URL. */
export const walletTabParams = { tab: parseAsStringLiteral(WALLET_TABS).withDefault("wallet") };

export const orderFilterParams = {
  status: parseAsStringLiteral(ORDER_STATES),
  provider: parseAsStringLiteral(ORDER_PROVIDERS),
  keyword: parseAsString.withDefault(""),
  ...timeParams,
};

export const ledgerFilterParams = { kind: parseAsString, ...timeParams };

export const callbackFilterParams = {
  outcome: parseAsStringLiteral(CALLBACK_OUTCOMES),
  keyword: parseAsString.withDefault(""),
};
