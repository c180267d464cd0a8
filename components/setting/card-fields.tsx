"use client";

import { cn } from "@/components/ui/class-names";
import type { OptionCard } from "@/lib/option/cards";
import type { OptionView } from "@/lib/option/types";
import { cardIsWide } from "./card-extra";
import { isWide, OptionField } from "./option-field";
import { PricingFields } from "./pricing-fields";
import { ChatFields, GroupFields, TopUpFields } from "./row-fields";
import type { CardDraft } from "./use-card-draft";

type CardFieldsProps = { card: OptionCard; options: readonly OptionView[]; draft: CardDraft };

/** The fields of a card: what is short side by side where the card is wide, tables over its whole width. */
export function CardFields({ card, options, draft }: CardFieldsProps) {
  const { state, dispatch } = draft;
  const common = { state, dispatch };
  if (card === "groups") return <GroupFields views={options} {...common} />;
  if (card === "chats") return <ChatFields views={options} {...common} />;
  if (card === "pricing") return <PricingFields views={options} {...common} />;
  return (
    <div
      className={cn("grid gap-x-8 gap-y-5", cardIsWide(card) && "sm:grid-cols-2", card === "login" && "lg:grid-cols-3")}
    >
      {options.map((view) => (
        <div key={view.key} className={cn("min-w-0", isWide(view) && "col-span-full")}>
          {view.key === "TopupGroupRatio" ? (
            <TopUpFields views={[view]} {...common} />
          ) : (
            <OptionField view={view} {...common} />
          )}
        </div>
      ))}
    </div>
  );
}
