"use client";

import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import type { Suggested, Suggestion } from "@/lib/suggestion/schemas";
import type { suggest as suggestAction } from "./suggestion-actions";

type Suggest = typeof suggestAction;

const TYPING_PAUSE_MS = 150;
const Context = createContext<Suggest | null>(null);

export function SuggestionsProvider({ suggest, children }: { suggest: Suggest; children: ReactNode }) {
  return <Context value={suggest}>{children}</Context>;
}

type Found = { term: string | null; items: readonly Suggestion[]; isFailed: boolean };
const NOTHING: Found = { term: null, items: [], isFailed: false };

/** Suggestions for a term while `isOpen`, asked for after a pause. Answers for an earlier term are dropped. */
export function useSuggestions(of: Suggested, term: string, isOpen: boolean): Found & { isPending: boolean } {
  const suggest = useContext(Context);
  const [found, setFound] = useState<Found>(NOTHING);
  const isAsked = isOpen && suggest !== null && found.term !== term;
  useEffect(() => {
    if (!isAsked || !suggest) return;
    let isDropped = false;
    const timer = setTimeout(async () => {
      const result = await suggest({ of, term }).catch(() => null);
      if (!isDropped) setFound({ term, items: result?.ok ? result.data : [], isFailed: !result?.ok });
    }, TYPING_PAUSE_MS);
    return () => {
      isDropped = true;
      clearTimeout(timer);
    };
  }, [isAsked, suggest, of, term]);
  return { ...found, isPending: isAsked };
}
