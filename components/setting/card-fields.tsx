"use client";

import type { ComponentType } from "react";
import { cn } from "@/components/ui/class-names";
import type { OptionCard } from "@/lib/option/cards";
import type { OptionView } from "@/lib/option/types";
import { FallbackFields, ModelLimitFields } from "./failover-fields";
import { isWide, OptionField } from "./option-field";
import type { OptionTableProps } from "./option-table";
import { PricingFields } from "./pricing-fields";
import { ChatFields, GroupFields, TopUpFields } from "./row-fields";
import type { PageDraft } from "./use-page-draft";

type CardFieldsProps = { card: OptionCard; options: readonly OptionView[]; draft: PageDraft };

/** Options of a card among others that are edited as a table. */
const TABLES: Readonly<Record<string, ComponentType<OptionTableProps>>> = {
  TopupGroupRatio: TopUpFields,
  UpstreamModelLimits: ModelLimitFields,
  ModelFallbacks: FallbackFields,
};

/** The fields of a card. Short fields stand side by side; tables take the whole width. */
export function CardFields({ card, options, draft }: CardFieldsProps) {
  const { state, dispatch } = draft;
  const common = { state, dispatch };
  if (card === "groups") return <GroupFields views={options} {...common} />;
  if (card === "chats") return <ChatFields views={options} {...common} />;
  if (card === "pricing") return <PricingFields views={options} {...common} />;
  return (
    <div className="flex flex-col gap-5">
      {inBlocks(options).map((block) => (
        <div key={block[0]?.key} className={cn("grid gap-x-8 gap-y-5", !block.some(isWide) && "sm:grid-cols-2")}>
          {block.map((view) => {
            const Table = TABLES[view.key];
            return Table ? (
              <Table key={view.key} view={view} {...common} />
            ) : (
              <OptionField key={view.key} view={view} {...common} />
            );
          })}
        </div>
      ))}
    </div>
  );
}

/**
 * Groups switches, short fields and wide fields, so that the rows of a block have one height. The kind of the first
 * option comes first.
 */
function inBlocks(options: readonly OptionView[]): OptionView[][] {
  const wide = options.filter(isWide);
  const switches = options.filter((view) => view.control === "switch");
  const short = options.filter((view) => !wide.includes(view) && !switches.includes(view));
  const ordered = options[0]?.control === "switch" ? [switches, short, wide] : [short, switches, wide];
  return ordered.filter((block) => block.length > 0);
}
