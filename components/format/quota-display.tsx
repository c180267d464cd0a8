"use client";

import { createContext, type ReactNode, useContext } from "react";
import { DEFAULT_CURRENCY_SYMBOL, type QuotaDisplay } from "./quota";

const Context = createContext<QuotaDisplay>({
  inCurrency: true,
  quotaPerUnit: 500_000,
  symbol: DEFAULT_CURRENCY_SYMBOL,
});

export function QuotaDisplayProvider({ value, children }: { value: QuotaDisplay; children: ReactNode }) {
  return <Context value={value}>{children}</Context>;
}

export const useQuotaDisplay = () => useContext(Context);
