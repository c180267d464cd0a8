"use client";

import { createContext, type ReactNode, useContext } from "react";
import type { QuotaDisplay } from "./quota";

const Context = createContext<QuotaDisplay>({ inCurrency: true, quotaPerUnit: 500_000 });

export function QuotaDisplayProvider({ value, children }: { value: QuotaDisplay; children: ReactNode }) {
  return <Context value={value}>{children}</Context>;
}

export const useQuotaDisplay = () => useContext(Context);
