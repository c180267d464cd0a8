"use client";

import { useEffect, useState } from "react";

const TICK_MS = 250;

/** Seconds left of a countdown; 0 = not running. Uses the clock, so that a throttled background tab does not prolong it. */
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
