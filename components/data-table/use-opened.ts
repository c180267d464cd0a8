import { useState } from "react";

/** Rows that were opened below themselves, by id. */
export function useOpened() {
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const toggle = (id: number) =>
    setOpened((before) =>
      before.has(id) ? new Set([...before].filter((other) => other !== id)) : new Set([...before, id]),
    );
  return { opened, toggle };
}
