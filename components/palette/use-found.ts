"use client";

import { useEffect, useState } from "react";
import type { Found } from "@/lib/palette/queries";
import { findAnything } from "./actions";

const TYPING_PAUSE_MS = 200;

type State = { term: string; items: readonly Found[]; failed: boolean };

const NOTHING: State = { term: "", items: [], failed: false };

/** Server results for a search term, requested after a typing pause. Results for an earlier term are dropped. */
export function useFound(term: string): State & { pending: boolean } {
  const [state, setState] = useState<State>(NOTHING);
  const wanted = term.trim();
  useEffect(() => {
    if (wanted === "") return;
    let dropped = false;
    const timer = setTimeout(async () => {
      const result = await findAnything({ term: wanted }).catch(() => null);
      if (!dropped) setState({ term: wanted, items: result?.ok ? result.data : [], failed: !result?.ok });
    }, TYPING_PAUSE_MS);
    return () => {
      dropped = true;
      clearTimeout(timer);
    };
  }, [wanted]);
  if (wanted === "") return { ...NOTHING, pending: false };
  return { ...state, pending: state.term !== wanted };
}
