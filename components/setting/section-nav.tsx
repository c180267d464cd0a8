"use client";

import { useTranslations } from "next-intl";
import { useEffect, useState } from "react";
import { cn } from "@/components/ui/class-names";
import type { OptionCard } from "@/lib/option/cards";
import { useSetting } from "./setting-context";

/** Links to the cards of the tab: at the side on a wide screen, in a row above on a narrow one. A dot marks unsaved changes. */
export function SectionNav({ cards }: { cards: readonly OptionCard[] }) {
  const t = useTranslations("setting");
  const { dirty } = useSetting();
  const current = useCurrentSection(cards);
  return (
    <nav
      aria-label={t("sections")}
      className="sticky top-14 z-20 -mx-4 overflow-x-auto border-b bg-background px-4 py-2 md:-mx-6 md:px-6 lg:top-20 lg:mx-0 lg:w-44 lg:shrink-0 lg:self-start lg:overflow-visible lg:border-0 lg:p-0"
    >
      <ul className="flex gap-1 lg:flex-col lg:border-l">
        {cards.map((card) => (
          <li key={card} className="shrink-0 lg:-ml-px">
            <a
              href={`#${card}`}
              aria-current={card === current ? "location" : undefined}
              className={cn(
                "flex items-center gap-2 whitespace-nowrap rounded-md px-2.5 py-1 text-muted-foreground hover:text-foreground max-lg:border lg:rounded-none lg:border-l-2 lg:border-l-transparent lg:px-3",
                card === current && "font-medium text-primary lg:border-l-primary",
              )}
            >
              {t(`card.${card}.title`)}
              {(dirty[card] ?? 0) > 0 ? (
                <span className="size-1.5 rounded-full bg-warning">
                  <span className="sr-only">{t("unsavedMark")}</span>
                </span>
              ) : null}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The topmost visible card. */
function useCurrentSection(cards: readonly OptionCard[]): OptionCard | undefined {
  const [current, setCurrent] = useState<OptionCard | undefined>(cards[0]);
  useEffect(() => {
    const visible = new Set<string>();
    const observer = new IntersectionObserver(
      (entries) => {
        for (const entry of entries) {
          if (entry.isIntersecting) visible.add(entry.target.id);
          else visible.delete(entry.target.id);
        }
        const first = cards.find((card) => visible.has(card));
        if (first) setCurrent(first);
      },
      { rootMargin: "-120px 0px -40% 0px" },
    );
    for (const card of cards) {
      const section = document.getElementById(card);
      if (section) observer.observe(section);
    }
    return () => observer.disconnect();
  }, [cards]);
  return current;
}
