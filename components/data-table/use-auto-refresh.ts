"use client";

import { useEffect, useState } from "react";
import { readStored, writeStored } from "@/components/ui/stored";
import { useRefresh } from "./use-refresh";

/** Reloads a list every `everySeconds` while the page is visible. The choice is stored under `key`; default off. */
export function useAutoRefresh(key: string, everySeconds: number): { isOn: boolean; setOn: (isOn: boolean) => void } {
  const refresh = useRefresh();
  const [isOn, setOn] = useState(false);
  useEffect(() => setOn(readStored(key) === "on"), [key]);
  useEffect(() => {
    if (!isOn) return;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") void refresh({ isQuiet: true });
    }, everySeconds * 1_000);
    return () => clearInterval(timer);
  }, [isOn, everySeconds, refresh]);
  const change = (next: boolean) => {
    writeStored(key, next ? "on" : null);
    setOn(next);
  };
  return { isOn, setOn: change };
}
