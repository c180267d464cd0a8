"use client";

import type { OptionCard } from "@/lib/option/cards";
import type { OptionView } from "@/lib/option/types";
import { LeaveGuard } from "./leave-guard";
import { SectionNav } from "./section-nav";
import { SettingCard } from "./setting-card";
import { type SettingFacts, SettingProvider } from "./setting-context";
import { useAnchor } from "./use-anchor";

type OptionCardsProps = { cards: readonly OptionCard[]; options: readonly OptionView[]; facts: SettingFacts };

export function OptionCards({ cards, options, facts }: OptionCardsProps) {
  useAnchor();
  return (
    <SettingProvider facts={facts}>
      <div className="lg:flex lg:gap-8">
        <SectionNav cards={cards} />
        <div className="grid min-w-0 flex-1 gap-4 pt-4 lg:pt-0 xl:grid-cols-2">
          {cards.map((card) => (
            <SettingCard key={card} card={card} options={options.filter((view) => view.card === card)} />
          ))}
        </div>
      </div>
      <LeaveGuard />
    </SettingProvider>
  );
}
