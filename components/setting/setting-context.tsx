"use client";

import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from "react";
import type { ModelFacts } from "@/lib/billing/model-facts";
import type { OptionCard } from "@/lib/option/cards";
import type { BuiltInPrices } from "./pricing-rows";
import type { SettingActions } from "./setting-actions";

export type SettingFacts = {
  actions: SettingActions;
  /** The saved ServerAddress; "" = not set. */
  savedAddress: string;
  /** The site's public address, used in callback URLs for other services. */
  publicAddress: string;
  quotaPerUnit: number;
  builtInPrices: BuiltInPrices;
  builtInFacts: Readonly<Record<string, ModelFacts>>;
};

type Setting = SettingFacts & {
  dirty: Readonly<Partial<Record<OptionCard, number>>>;
  reportDirty: (card: OptionCard, count: number) => void;
};

const Context = createContext<Setting | null>(null);

export function SettingProvider({ facts, children }: { facts: SettingFacts; children: ReactNode }) {
  const [dirty, setDirty] = useState<Partial<Record<OptionCard, number>>>({});
  const reportDirty = useCallback(
    (card: OptionCard, count: number) =>
      setDirty((before) => ((before[card] ?? 0) === count ? before : { ...before, [card]: count })),
    [],
  );
  const value = useMemo(() => ({ ...facts, dirty, reportDirty }), [facts, dirty, reportDirty]);
  return <Context value={value}>{children}</Context>;
}

/** State shared by the cards of a settings tab. Throws outside a settings tab. */
export function useSetting(): Setting {
  const setting = useContext(Context);
  if (!setting) throw new Error("outside of the settings");
  return setting;
}
