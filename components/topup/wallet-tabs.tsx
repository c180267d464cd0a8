"use client";

import { useTranslations } from "next-intl";
import { useQueryStates } from "nuqs";
import { useEffect, useRef } from "react";
import { pagingParams } from "@/components/data-table/list-params";
import { useListTransition } from "@/components/data-table/list-transition";
import { cn } from "@/components/ui/class-names";
import {
  callbackFilterParams,
  ledgerFilterParams,
  orderFilterParams,
  type WalletTab,
  walletTabParams,
} from "./topup-search";

const params = {
  ...walletTabParams,
  ...orderFilterParams,
  ...ledgerFilterParams,
  ...callbackFilterParams,
  page: pagingParams.page,
};

/** The wallet tabs that the user may see. Switching tabs clears the filters. */
export function WalletTabs({ tabs, current }: { tabs: readonly WalletTab[]; current: WalletTab }) {
  const t = useTranslations("topup");
  const { startTransition } = useListTransition();
  const [, setState] = useQueryStates(params, { shallow: false, history: "push", startTransition });
  const shown = useRef<HTMLButtonElement>(null);
  // On phones the tab bar scrolls, so the selected tab may be out of view.
  useEffect(() => {
    const tab = shown.current;
    if (tab?.parentElement && current)
      tab.parentElement.scrollLeft = tab.offsetLeft - (tab.parentElement.clientWidth - tab.offsetWidth) / 2;
  }, [current]);
  const names: Record<WalletTab, string> = {
    wallet: t("tabWallet"),
    orders: t("tabOrders"),
    ledger: t("tabLedger"),
    all: t("tabAll"),
    callbacks: t("tabCallbacks"),
  };
  return (
    <nav aria-label={t("tabs")} className="relative mb-4 flex gap-1 overflow-x-auto border-b">
      {tabs.map((tab) => (
        <button
          key={tab}
          ref={tab === current ? shown : null}
          type="button"
          aria-current={tab === current ? "page" : undefined}
          onClick={() =>
            setState({
              tab,
              status: null,
              provider: null,
              keyword: null,
              kind: null,
              outcome: null,
              start: null,
              end: null,
              page: null,
            })
          }
          className={cn(
            "-mb-px shrink-0 border-transparent border-b-2 px-3 py-2 text-muted-foreground hover:text-foreground",
            tab === current && "border-primary font-medium text-foreground",
          )}
        >
          {names[tab]}
        </button>
      ))}
    </nav>
  );
}
