"use client";

import { useRouter } from "next/navigation";
import { useEffect } from "react";
import { type OptionCard, settingPath } from "@/lib/option/cards";
import type { SearchedOption } from "./setting-search-field";

type AnchorRedirectProps = {
  options: readonly SearchedOption[];
  /** The cards of the open page. */
  cards: readonly OptionCard[];
};

/** Links to an option or a card without its page lead to its page. */
export function AnchorRedirect({ options, cards }: AnchorRedirectProps) {
  const router = useRouter();
  useEffect(() => {
    const anchor = decodeURIComponent(window.location.hash.slice(1));
    const card = options.find((option) => option.key === anchor || option.card === anchor)?.card;
    if (card === undefined || cards.includes(card)) return;
    router.replace(settingPath(card, anchor) as Parameters<typeof router.replace>[0]);
  }, [options, cards, router]);
  return null;
}
