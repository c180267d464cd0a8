"use client";

import { createContext, type ReactNode, useContext, useState } from "react";
import { Checkbox } from "@/components/ui/checkbox";
import { HeaderBox } from "./header-box";

type Selection = {
  ids: ReadonlySet<number>;
  /** Selects or deselects these rows. */
  change: (ids: readonly number[], selected: boolean) => void;
  clear: () => void;
};

const Context = createContext<Selection>({ ids: new Set(), change: () => {}, clear: () => {} });

/** The selected rows of a list; kept when the user changes the page. */
export function SelectionProvider({ children }: { children: ReactNode }) {
  const [ids, setIds] = useState<ReadonlySet<number>>(new Set());
  const change = (changed: readonly number[], selected: boolean) =>
    setIds((before) => {
      const next = new Set(before);
      for (const id of changed) selected ? next.add(id) : next.delete(id);
      return next;
    });
  return <Context value={{ ids, change, clear: () => setIds(new Set()) }}>{children}</Context>;
}

export const useSelection = () => useContext(Context);

export function SelectBox({ id, label }: { id: number; label: string }) {
  const { ids, change } = useSelection();
  return <Checkbox aria-label={label} checked={ids.has(id)} onChange={(event) => change([id], event.target.checked)} />;
}

/** Selects every row of the page; indeterminate while only some are selected. */
export function SelectAllBox({ ids, label }: { ids: readonly number[]; label: string }) {
  const { ids: selected, change } = useSelection();
  const count = ids.filter((id) => selected.has(id)).length;
  return <HeaderBox label={label} rows={ids.length} chosen={count} onChange={(isOn) => change(ids, isOn)} />;
}
