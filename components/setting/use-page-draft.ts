"use client";

import { useTranslations } from "next-intl";
import { useEffect, useReducer } from "react";
import { useRunAction } from "@/components/form/use-run-action";
import { reviewPrices } from "@/components/price-effect/review-prices";
import { toast } from "@/components/ui/toast";
import { checkOptionText } from "@/lib/option/check";
import type { OptionView } from "@/lib/option/types";
import { saveOptions } from "./actions";
import {
  arrivedKeys,
  type CardEvent,
  type CardState,
  EMPTY_CARD,
  isChanged,
  nextCardState,
  type SaveResult,
  textOf,
  toChange,
} from "./card-draft";
import { useOptionText } from "./option-text";
import { useSetting } from "./setting-context";

const SAVED_MS = 1500;
const FAILED_MS = 5000;

/** Unsaved edits of a page. */
export type PageDraft = {
  state: CardState;
  dispatch: (event: CardEvent) => void;
  /** The number of changed options. */
  changes: number;
  pending: boolean;
  save: () => void;
};

/** The draft of a page and its save. Each option is saved separately; errors show beside their fields. */
export function usePageDraft(options: readonly OptionView[]): PageDraft {
  const t = useTranslations("setting");
  const findProblems = useFindProblems();
  const { savedAddress, reportDirty } = useSetting();
  const { pending, run } = useRunAction();
  const [state, apply] = useReducer(nextCardState, EMPTY_CARD);
  const dispatch = (event: CardEvent) => {
    const isEdit = event.type === "text" || event.type === "issue";
    const shown = isEdit ? options.find((view) => view.key === event.key && !view.secret) : undefined;
    apply(isEdit && shown && !isChanged(state, shown) ? { ...event, base: shown.value } : event);
  };
  useEffect(() => {
    const keys = arrivedKeys(state, options);
    if (keys.length > 0) apply({ type: "arrived", keys });
  }, [state, options]);
  const changed = options.filter((view) => isChanged(state, view));
  const changes = changed.length;
  useEffect(() => {
    reportDirty(changes);
    return () => reportDirty(0);
  }, [changes, reportDirty]);

  const refuse = (text: string) => void toast.error(text, { duration: FAILED_MS });
  const onSaved = (results: SaveResult[]) => {
    dispatch({ type: "saved", results, views: options });
    const failed = results.filter((result) => result.message !== null);
    if (failed.length === 0) return void toast.success(t("saved"), { duration: SAVED_MS });
    const text = failed.length === results.length ? t("saveFailed") : t("saveFailedPartly");
    toast.error(text, { description: failed[0]?.message ?? "", duration: FAILED_MS });
  };
  const save = () => {
    if (savedAddress === "" && options.some((view) => view.requires === "ServerAddress"))
      return refuse(t("addressFirst"));
    if (changes === 0) return void toast.warning(t("nothingChanged"), { duration: FAILED_MS });
    const errors = findProblems(state, changed);
    dispatch({ type: "problems", errors });
    const [first] = Object.values(errors);
    // For the top-up ratio the toast gives the exact error (A149).
    if (first !== undefined) return refuse(errors.TopupGroupRatio ?? t("checkInput"));
    const toSave = changed.map((view) => toChange(state, view));
    void reviewPrices(toSave).then((isWanted) => {
      if (isWanted) run(() => saveOptions({ changes: toSave }), onSaved);
    });
  };
  return { state, dispatch, changes, pending, save };
}

/** Errors of changed options, by key, in the user's language. */
function useFindProblems() {
  const { issueText } = useOptionText();
  return (state: CardState, changed: readonly OptionView[]): Record<string, string> => {
    const found = changed.flatMap((view) => {
      const issue = view.secret ? null : checkOptionText(view, textOf(state, view));
      const message = state.issues[view.key] ?? (issue ? issueText(view.key, issue) : undefined);
      return message === undefined ? [] : [[view.key, message] as const];
    });
    return Object.fromEntries(found);
  };
}
