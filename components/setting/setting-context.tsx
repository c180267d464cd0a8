"use client";

import { createContext, type ReactNode, useContext, useMemo, useState } from "react";
import type { ModelFacts } from "@/lib/billing/model-facts";
import type { RunningEffect } from "@/lib/option/types";
import type { ArchiveStatus } from "@/lib/usage-log/archive-status-queries";
import type { BuiltInPrices } from "./pricing-rows";

export type SettingFacts = {
  /** The saved ServerAddress; "" = not set. */
  savedAddress: string;
  /** The site's public address, used in callback URLs for other services. */
  publicAddress: string;
  quotaPerUnit: number;
  /** How archiving of the log goes; null = it is off, or another page. */
  archive: ArchiveStatus | null;
  builtInPrices: BuiltInPrices;
  builtInFacts: Readonly<Record<string, ModelFacts>>;
};

type Setting = SettingFacts & {
  /** What most options of the page do to running requests. */
  running: RunningEffect | undefined;
  /** The number of unsaved changes. */
  dirty: number;
  reportDirty: (count: number) => void;
};

const Context = createContext<Setting | null>(null);

type SettingProviderProps = { facts: SettingFacts; running: RunningEffect | undefined; children: ReactNode };

export function SettingProvider({ facts, running, children }: SettingProviderProps) {
  const [dirty, setDirty] = useState(0);
  const value = useMemo(() => ({ ...facts, running, dirty, reportDirty: setDirty }), [facts, running, dirty]);
  return <Context value={value}>{children}</Context>;
}

/** State shared by the cards of a settings page. Throws outside of one. */
export function useSetting(): Setting {
  const setting = useContext(Context);
  if (!setting) throw new Error("outside of the settings");
  return setting;
}
