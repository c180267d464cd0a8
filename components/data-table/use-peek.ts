"use client";

import { useQueryState } from "nuqs";
import { peekParams } from "./peek-params";

/** The key of the row that is open beside the list, kept in the URL. The server is not asked: the rows are here. */
export function usePeek(): { peek: string | null; open: (key: string) => void; move: (key: string | null) => void } {
  const [peek, setPeek] = useQueryState("peek", peekParams.peek.withOptions({ shallow: true, clearOnDefault: true }));
  return {
    peek,
    // A step back closes it.
    open: (key) => void setPeek(key, { history: "push" }),
    move: (key) => void setPeek(key, { history: "replace" }),
  };
}
