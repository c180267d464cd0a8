"use client";

import { useSyncExternalStore } from "react";

const pad = (value: number) => String(value).padStart(2, "0");

/** Local time as yyyy-MM-dd HH:mm:ss. */
export function formatTime(seconds: number): string {
  const date = new Date(seconds * 1000);
  const day = [date.getFullYear(), pad(date.getMonth() + 1), pad(date.getDate())].join("-");
  return `${day} ${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`;
}

const subscribe = () => () => {};

/** True after hydration, when output that depends on the browser's time zone can be rendered. */
export function useInBrowser(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => true,
    () => false,
  );
}

/** A timestamp in the browser's time zone. The server does not know the zone and renders a placeholder of the same width. */
export function Time({ seconds }: { seconds: number }) {
  const inBrowser = useInBrowser();
  return (
    <time dateTime={new Date(seconds * 1000).toISOString()} className="whitespace-nowrap tabular-nums">
      {inBrowser ? formatTime(seconds) : <span className="inline-block w-[19ch]">&nbsp;</span>}
    </time>
  );
}
