"use client";

import { ArrowRight, ChevronDown } from "lucide-react";
import { useTranslations } from "next-intl";
import { useId, useState } from "react";
import { ClashList } from "@/components/form/clash-list";
import { useShownValue } from "@/components/form/edit-clashes";
import { Button } from "@/components/ui/button";
import { cn } from "@/components/ui/class-names";
import type { OptionView } from "@/lib/option/types";
import { differingEntries } from "@/lib/seen";
import { isChanged, textOf } from "./card-draft";
import { useOptionText } from "./option-text";
import { shownText } from "./shown-text";
import type { PageDraft } from "./use-page-draft";

/** Longer values are not quoted: their difference shows in the history once they are saved. */
const QUOTED_MAX = 60;

type SaveBarProps = { draft: PageDraft; options: readonly OptionView[] };

/** Saves the page. With unsaved changes it sticks to the bottom of the window and lists them on demand. */
export function SaveBar({ draft, options }: SaveBarProps) {
  const t = useTranslations("setting");
  const id = useId();
  const [wanted, setWanted] = useState(false);
  const { changes, pending, state } = draft;
  const isDirty = changes > 0;
  const isOpen = wanted && isDirty;
  return (
    <footer
      data-save-bar
      className={cn(
        "mt-4 rounded-lg border px-5 py-2.5",
        isDirty && "sticky bottom-2 z-20 border-primary/40 bg-accent shadow-lg",
      )}
    >
      <OptionClashes draft={draft} options={options} />
      {isOpen ? <ChangeList id={id} state={state} changed={options.filter((view) => isChanged(state, view))} /> : null}
      <div className="flex flex-wrap items-center justify-end gap-2">
        {isDirty ? (
          <>
            <span className="font-medium text-accent-foreground text-xs" aria-live="polite">
              {t("unsaved", { count: changes })}
            </span>
            <Button
              variant="ghost"
              aria-expanded={isOpen}
              aria-controls={id}
              onClick={() => setWanted(!wanted)}
              className="mr-auto gap-1 px-2"
            >
              {isOpen ? t("hideChanges") : t("showChanges")}
              <ChevronDown className={cn("size-3.5 transition-transform", isOpen || "rotate-180")} aria-hidden />
            </Button>
            <Button variant="ghost" disabled={pending} onClick={() => draft.dispatch({ type: "discard" })}>
              {t("discard")}
            </Button>
          </>
        ) : null}
        <Button type="submit" variant={isDirty ? "primary" : "outline"} pending={pending}>
          {t("save")}
        </Button>
      </div>
    </footer>
  );
}

/** What somebody else has saved meanwhile: both texts; of a JSON object, only the entries that both have changed. */
function OptionClashes({ draft, options }: SaveBarProps) {
  const { label } = useOptionText();
  const show = useShownOption();
  const { state, dispatch } = draft;
  const clashing = options.filter((view) => state.clashes[view.key] !== undefined);
  return (
    <div className="mb-2 max-h-[50dvh] overflow-y-auto empty:hidden">
      <ClashList
        clashes={clashing.map((view) => {
          const texts = [
            state.bases[view.key] ?? view.value,
            state.clashes[view.key] ?? "",
            textOf(state, view),
          ] as const;
          const [stored, wanted] = differingEntries(...texts);
          return { field: view.key, label: label(view.key), mine: show(view, wanted), theirs: show(view, stored) };
        })}
        onChoose={(key, choice) => {
          const view = clashing.find((one) => one.key === key);
          if (view) dispatch({ type: "settle", view, choice });
        }}
      />
    </div>
  );
}

/** An option's text as people read it. */
function useShownOption(): (view: OptionView, text: string) => string {
  const t = useTranslations("setting");
  const show = useShownValue();
  return (view, text) => {
    if (view.control === "switch") return text === "true" ? t("on") : t("off");
    if (view.unit === "quota" && text.trim() !== "") return show(Number(text), "money");
    return shownText(view, text);
  };
}

type ChangeListProps = { id: string; state: PageDraft["state"]; changed: readonly OptionView[] };

function ChangeList({ id, state, changed }: ChangeListProps) {
  const t = useTranslations("setting");
  const running = useTranslations("setting.running");
  const { label } = useOptionText();
  return (
    <ul id={id} className="mb-2.5 flex max-h-[40dvh] flex-col gap-1.5 overflow-y-auto border-b pb-2.5 text-xs">
      {changed.map((view) => (
        <li key={view.key} className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
          <span className="font-medium">{label(view.key)}</span>
          <ChangedValue view={view} state={state} />
          <span className="basis-full text-muted-foreground">{running(view.running)}</span>
        </li>
      ))}
      <li className="sr-only">{t("changes", { count: changed.length })}</li>
    </ul>
  );
}

function ChangedValue({ view, state }: { view: OptionView; state: PageDraft["state"] }) {
  const t = useTranslations("setting");
  if (view.secret) return <span>{state.removed.includes(view.key) ? t("secretGoing") : t("changedText")}</span>;
  const [before, after] = [shownText(view, view.value), textOf(state, view)];
  if ([before, after].some((text) => text.length > QUOTED_MAX || text.includes("\n"))) {
    return <span>{t("changedText")}</span>;
  }
  const shown = (text: string) => {
    if (view.control === "switch") return text === "true" ? t("on") : t("off");
    return text === "" ? t("emptyValue") : text;
  };
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-1.5" dir="auto" data-user-text>
      <del className="break-all no-underline opacity-75">{shown(before)}</del>
      <ArrowRight className="size-3 shrink-0" aria-hidden />
      <ins className="break-all font-medium no-underline">{shown(after)}</ins>
    </span>
  );
}
