import { useState } from "react";
import type { ActionResult } from "@/lib/http/action";
import { isSameValue, type Seen } from "@/lib/seen";
import { changesOf, type EditShape, type OpenClash, settle, startEdit, withFailure, withSaved } from "./edit-draft";

export type Editing<Row, Draft, Input> = {
  /** The row as the form goes on from it. */
  row: Row | null;
  draft: Draft;
  dirty: boolean;
  onChange: (change: Partial<Draft>) => void;
  /** All values, for a new row; null where the input cannot be sent. */
  input: () => Input | null;
  /** The changed values and what each was changed from, of a new row all values; null where the input cannot be sent. */
  changes: () => (Partial<Input> & { seen: Seen }) | null;
  errors: Record<string, string>;
  setErrors: (errors: Record<string, string>) => void;
  onFailure: (failure: Extract<ActionResult<unknown>, { ok: false }>) => void;
  /** A form that stays open goes on from what it has saved. */
  onSaved: (sent: object) => void;
  clashes: readonly OpenClash[];
  settle: (field: string, choice: "mine" | "theirs") => void;
};

/**
 * The draft of a form that edits a row, or makes one where `row` is null. It starts from the row as it was when the form opened. A
 * row that arrives later, with a page that is renewed behind the form, is taken as a whole where nothing was typed, and else not at
 * all: input never meets a row other than the one it was typed over.
 */
export function useEdit<Row extends object, Draft extends object, Input extends object>(
  row: Row | null,
  shape: EditShape<Row, Draft, Input>,
): Editing<Row, Draft, Input> {
  const [state, setState] = useState(() => startEdit(row, shape.toDraft));
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [begunFrom, setBegunFrom] = useState(row);
  const dirty = !isSameValue(state.draft, state.start);
  if (!dirty && state.clashes.length === 0 && !isSameValue(begunFrom, row)) {
    setBegunFrom(row);
    setState(startEdit(row, shape.toDraft));
  }
  return {
    row: state.row,
    draft: state.draft,
    dirty,
    onChange: (change) => setState((before) => ({ ...before, draft: { ...before.draft, ...change } })),
    input: () => shape.toInput(state.draft),
    changes: () => changesOf(state, shape),
    errors,
    setErrors,
    onFailure: (failure) => {
      setErrors(failure.fields);
      setState((before) => withFailure(before, failure));
    },
    onSaved: (sent) => setState((before) => withSaved(before, sent, shape)),
    clashes: state.clashes,
    settle: (field, choice) => {
      setErrors(({ [field]: _, ...others }) => others);
      setState((before) => settle(before, { field, choice }, shape));
    },
  };
}
