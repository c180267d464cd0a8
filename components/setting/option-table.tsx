import type { ReactNode } from "react";
import type { OptionView } from "@/lib/option/types";
import type { CardEvent, CardState } from "./card-draft";
import { DualEditor } from "./dual-editor";
import { useOptionText } from "./option-text";

export type OptionTableProps = {
  view: OptionView;
  state: CardState;
  dispatch: (event: CardEvent) => void;
};

/** One option of a card that is edited as a table or as JSON, under its own name. */
export function OptionTable({ view, state, dispatch, children }: OptionTableProps & { children: ReactNode }) {
  const name = useOptionText().label(view.key);
  return (
    <fieldset className="min-w-0">
      <legend className="mb-2 font-medium text-sm">{name}</legend>
      <DualEditor name={name} views={[view]} state={state} dispatch={dispatch}>
        {children}
      </DualEditor>
    </fieldset>
  );
}
