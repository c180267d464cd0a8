import type { ReactNode } from "react";
import type { OptionView } from "@/lib/option/types";
import type { CardEvent, CardState } from "./card-draft";

export type OptionFieldProps = { view: OptionView; state: CardState; dispatch: (event: CardEvent) => void };

/** The target of links to an option. */
export function FieldFrame({ view, children }: { view: OptionView; children: ReactNode }) {
  return (
    <div
      id={view.key}
      data-option={view.key}
      className="min-w-0 scroll-mt-24 scroll-mb-24 rounded-md ring-ring ring-offset-8 ring-offset-surface transition-shadow data-[marked=true]:ring-2"
    >
      {children}
    </div>
  );
}
