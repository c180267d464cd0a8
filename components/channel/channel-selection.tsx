"use client";

import { createContext, type ReactNode, useContext, useMemo, useState } from "react";

type Selection = {
  /** Whether the bar is there: from the first selection until it is closed. */
  isOn: boolean;
  /** Name by id; kept when the user changes the page. */
  chosen: ReadonlyMap<number, string>;
  choose: (rows: readonly { id: number; name: string }[], on: boolean) => void;
  /** How many rows match when all matching rows are selected; null = only the rows in `chosen`. */
  allMatching: number | null;
  chooseAll: (total: number) => void;
  /** Also closes the bar. */
  clear: () => void;
};

const Context = createContext<Selection | null>(null);
const NONE: ReadonlyMap<number, string> = new Map();

/** The selected channels, across pages. */
export function ChannelSelection({ children }: { children: ReactNode }) {
  const [isOn, setOn] = useState(false);
  const [chosen, setChosen] = useState(NONE);
  const [allMatching, setAllMatching] = useState<number | null>(null);
  const selection = useMemo<Selection>(() => {
    const clear = () => {
      setOn(false);
      setChosen(NONE);
      setAllMatching(null);
    };
    return {
      isOn,
      chosen,
      choose: (rows, on) => {
        setOn(true);
        setAllMatching(null);
        setChosen((before) => {
          const next = new Map(before);
          for (const { id, name } of rows) {
            if (on) next.set(id, name);
            else next.delete(id);
          }
          return next;
        });
      },
      allMatching,
      chooseAll: setAllMatching,
      clear,
    };
  }, [isOn, chosen, allMatching]);
  return <Context value={selection}>{children}</Context>;
}

export function useChannelSelection(): Selection {
  const selection = useContext(Context);
  if (!selection) throw new Error("outside of ChannelSelection");
  return selection;
}
