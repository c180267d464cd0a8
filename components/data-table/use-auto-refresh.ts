"use client";

import { useRouter } from "next/navigation";
import { useEffect, useState } from "react";
import { readStored, writeStored } from "@/components/shell/stored";

/**
 * Reads a list again every so many seconds while it is in view; whether it does is remembered under `key`, and off until
 * somebody switches it on.
 */
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
