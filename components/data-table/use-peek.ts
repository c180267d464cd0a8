"use client";

import { useQueryState } from "nuqs";
import { peekParams } from "./list-params";

type Peek = { peek: string | null; open: (key: string) => void; move: (key: string | null) => void };

/** The key of the row that is open beside the list, kept in the URL. Only some lists ask the server for its details. */
export function usePeek({ isFromServer = false }: { isFromServer?: boolean } = {}): Peek {
  const [peek, setPeek] = useQueryState(
    "peek",
    peekParams.peek.withOptions({ shallow: !isFromServer, clearOnDefault: true }),
  );
  return {
    peek,
    // A step back closes it.
    open: (key) => void setPeek(key, { history: "push" }),
    // Nothing is asked for when it is closed.
    move: (key) => void setPeek(key, { history: "replace", shallow: !isFromServer || key === null }),
  };
}
