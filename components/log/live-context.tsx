"use client";

import { useSearchParams } from "next/navigation";
import { createContext, type ReactNode, useContext, useState } from "react";
import { filterQuery } from "@/components/data-table/list-params";
import { useRefresh } from "@/components/data-table/use-refresh";
import { EMPTY_FEED, type FeedState, useLiveFeed } from "./live-feed";
import { logFilterParams } from "./log-search";

type Live = {
  isLive: boolean;
  isPaused: boolean;
  feed: FeedState;
  setLive: (isLive: boolean) => void;
  setPaused: (isPaused: boolean) => void;
};

const Context = createContext<Live>({
  isLive: false,
  isPaused: false,
  feed: EMPTY_FEED,
  setLive: () => {},
  setPaused: () => {},
});

export const useLive = () => useContext(Context);

/** State of live mode: whether it is on, and the rows received since. Changing the filters resets the rows. */
export function LiveLog({ children }: { children: ReactNode }) {
  const query = filterQuery(useSearchParams(), logFilterParams);
  const refresh = useRefresh();
  const [isLive, setIsLive] = useState(false);
  const [isPaused, setIsPaused] = useState(false);
  const { state, resume } = useLiveFeed(isLive ? query : null, isPaused);
  const setPaused = (next: boolean) => {
    if (!next) resume();
    setIsPaused(next);
  };
  const setLive = (next: boolean) => {
    setIsPaused(false);
    setIsLive(next);
    // Reloads the page's rows, so that they include those received live.
    if (!next) void refresh({ isQuiet: true });
  };
  return <Context value={{ isLive, isPaused, feed: state, setLive, setPaused }}>{children}</Context>;
}
