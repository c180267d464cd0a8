"use client";

import { useTranslations } from "next-intl";
import { type FormEvent, useEffect } from "react";
import { isComposing } from "@/components/ui/composing";
import type { SettingPageInfo } from "@/lib/option/cards";
import type { OptionView } from "@/lib/option/types";
import { BrandingPreview } from "./branding-preview";
import { LeaveGuard } from "./leave-guard";
import { SaveBar } from "./save-bar";
import { SettingCard } from "./setting-card";
import { type SettingFacts, SettingProvider } from "./setting-context";
import { useAnchor } from "./use-anchor";
import { usePageDraft } from "./use-page-draft";

type PageFormProps = { page: SettingPageInfo; options: readonly OptionView[]; facts: SettingFacts };

/** The cards of a settings page, with one draft and one bar to save it. */
export function PageForm(props: PageFormProps) {
  return (
    <SettingProvider facts={props.facts} running={mostCommon(props.options.map((view) => view.running))}>
      <Cards {...props} />
      <LeaveGuard />
    </SettingProvider>
  );
}

function Cards({ page, options }: PageFormProps) {
  useAnchor(options);
  const draft = usePageDraft(options);
  useSaveKey(draft.save);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    draft.save();
  };
  return (
    <form noValidate onSubmit={onSubmit} className="min-w-0">
      <RunningNote options={options} />
      {page.id === "name" ? <BrandingPreview options={options} state={draft.state} /> : null}
      <div className="grid min-w-0 gap-4">
        {page.cards.map((card) => (
          <SettingCard key={card} card={card} options={options.filter((view) => view.card === card)} draft={draft} />
        ))}
      </div>
      <SaveBar draft={draft} options={options} />
    </form>
  );
}

/** What saving does to running requests, where it is the same for most options of the page; the others say it themselves. */
function RunningNote({ options }: { options: readonly OptionView[] }) {
  const t = useTranslations("setting.running");
  const running = mostCommon(options.map((view) => view.running));
  return running ? <p className="mb-3 text-muted-foreground text-xs">{t(running)}</p> : null;
}

function mostCommon<Value>(values: readonly Value[]): Value | undefined {
  const count = (value: Value) => values.filter((other) => other === value).length;
  return [...new Set(values)].toSorted((one, other) => count(other) - count(one))[0];
}

/** Ctrl S or ⌘ S saves, as everywhere else. */
function useSaveKey(save: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "s" || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      event.preventDefault();
      // A half-composed word is not saved.
      if (!isComposing(event)) save();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [save]);
}
