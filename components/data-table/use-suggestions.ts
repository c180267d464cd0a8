"use client";

import { useEffect, useState } from "react";
import type { Suggested, Suggestion } from "@/lib/suggestion/schemas";
import { suggest } from "./actions";

const TYPING_PAUSE_MS = 150;

type Found = { term: string | null; items: readonly Suggestion[]; isFailed: boolean };
const NOTHING: Found = { term: null, items: [], isFailed: false };

/** Suggestions for a term while `isOpen`, asked for after a pause. Answers for an earlier term are dropped. */
export function useSuggestions(of: Suggested, term: string, isOpen: boolean): Found & { isPending: boolean } {
  const [found, setFound] = useState<Found>(NOTHING);
  const isAsked = isOpen && found.term !== term;
  useEffect(() => {
    if (!isAsked) return;
    let isDropped = false;
    const timer = setTimeout(async () => {
      const result = await suggest({ of, term }).catch(() => null);
      if (!isDropped) setFound({ term, items: result?.ok ? result.data : [], isFailed: !result?.ok });
    }, TYPING_PAUSE_MS);
    return () => {
      isDropped = true;
      clearTimeout(timer);
    };
  }, [isAsked, of, term]);
  return { ...found, isPending: isAsked };
}
