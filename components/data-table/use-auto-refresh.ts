"use client";

import { useRouter } from "next/navigation";
import { useEffect, useState } from "react";
import { readStored, writeStored } from "@/components/shell/stored";

/** Reloads a list every `everySeconds` while the page is visible. The choice is stored under `key`; default off. */
export function useAutoRefresh(key: string, everySeconds: number): { isOn: boolean; setOn: (isOn: boolean) => void } {
  const router = useRouter();
  const [isOn, setOn] = useState(false);
  useEffect(() => setOn(readStored(key) === "on"), [key]);
  useEffect(() => {
    if (!isOn) return;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") router.refresh();
    }, everySeconds * 1_000);
    return () => clearInterval(timer);
  }, [isOn, everySeconds, router]);
  const change = (next: boolean) => {
    writeStored(key, next ? "on" : null);
    setOn(next);
  };
  return { isOn, setOn: change };
}
