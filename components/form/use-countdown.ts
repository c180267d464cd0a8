"use client";

import { useEffect, useState } from "react";

const TICK_MS = 250;

/** Seconds that are left of a pause, 0 when there is none; by the clock, so that a sleeping tab does not stretch it. */
export function useCountdown(seconds: number): { left: number; start: () => void } {
  const [endsAt, setEndsAt] = useState(0);
  const [left, setLeft] = useState(0);
  useEffect(() => {
    if (endsAt === 0) return;
    const timer = setInterval(() => {
      const rest = Math.max(0, Math.ceil((endsAt - Date.now()) / 1000));
      setLeft(rest);
      if (rest === 0) clearInterval(timer);
    }, TICK_MS);
    return () => clearInterval(timer);
  }, [endsAt]);
  const start = () => {
    setEndsAt(Date.now() + seconds * 1000);
    setLeft(seconds);
  };
  return { left, start };
}
