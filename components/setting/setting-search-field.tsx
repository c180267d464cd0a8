"use client";

import { Command } from "cmdk";
import { Search } from "lucide-react";
import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import { type FocusEvent, useEffect, useEffectEvent, useRef, useState } from "react";
import { isComposing } from "@/components/ui/composing";
import { fieldClasses } from "@/components/ui/input";
import { type OptionCard, pageOf, settingPath, tabOf } from "@/lib/option/cards";
import { type SearchEntry, searchOptions } from "@/lib/option/search";
import { useOptionText } from "./option-text";
import { usePageTitle } from "./setting-nav";
import { showAnchor } from "./use-anchor";
import { useSearchKey } from "./use-search-key";

const SHOWN_MAX = 12;

export type SearchedOption = { key: string; card: OptionCard };

/** What the field that this one replaces was left with. */
export type SearchStart = { text: string; isFocused: boolean };

type SettingSearchFieldProps = { options: readonly SearchedOption[]; start: SearchStart };

/** Finds a setting on any page by its name, by other words for it, or by its key, and goes to its field. */
export function SettingSearchField({ options, start }: SettingSearchFieldProps) {
  const t = useTranslations("setting");
  const router = useRouter();
  const find = useFind(options);
  const [text, setText] = useState(start.text);
  const [selected, setSelected] = useState(() => (start.text === "" ? "" : (find(start.text)[0]?.key ?? "")));
  const field = useRef<HTMLInputElement>(null);
  useSearchKey(field);
  const takeFocus = useEffectEvent(() => {
    if (!start.isFocused) return;
    field.current?.focus();
    field.current?.setSelectionRange(start.text.length, start.text.length);
  });
  useEffect(() => takeFocus(), []);
  const open = text !== "";
  const found = open ? find(text).slice(0, SHOWN_MAX) : [];
  const onText = (next: string) => {
    setText(next);
    // The list is new with every letter, so the first hit is that of what is typed now.
    setSelected(next === "" ? "" : (find(next)[0]?.key ?? ""));
  };
  const onSelect = ({ key, card }: SearchEntry) => {
    onText("");
    const path = settingPath(card, key);
    if (document.getElementById(key)) {
      window.history.replaceState(null, "", path);
      showAnchor(key);
    } else router.push(path as Parameters<typeof router.push>[0]);
  };
  const onBlur = (event: FocusEvent<HTMLElement>) => {
    if (!event.currentTarget.contains(event.relatedTarget)) onText("");
  };
  return (
    <Command
      label={t("search")}
      shouldFilter={false}
      value={selected}
      onValueChange={setSelected}
      onBlur={onBlur}
      className="relative w-full sm:w-80"
    >
      <Search className="pointer-events-none absolute top-2.5 left-2.5 size-4 text-muted-foreground" aria-hidden />
      <Command.Input asChild value={text} onValueChange={onText}>
        {/* biome-ignore lint/a11y/useAriaPropsSupportedByRole: the library makes it a combobox and says that it is always open */}
        <input
          dir="auto"
          ref={field}
          aria-expanded={open}
          placeholder={t("search")}
          onKeyDown={(event) => (event.key === "Escape" && !isComposing(event) ? onText("") : undefined)}
          className={`${fieldClasses} h-9 pr-2.5 pl-8`}
        />
      </Command.Input>
      <Command.List
        label={t("searchResults")}
        className="absolute inset-x-0 top-full z-40 mt-1 max-h-80 overflow-y-auto rounded-lg border bg-surface p-1 shadow-lg"
        hidden={!open}
      >
        {open ? <Command.Empty className="px-2.5 py-2 text-muted-foreground">{t("searchEmpty")}</Command.Empty> : null}
        {found.map((entry) => (
          <Command.Item
            dir="auto"
            key={entry.key}
            value={entry.key}
            onSelect={() => onSelect(entry)}
            className="flex cursor-pointer flex-col rounded-md px-2.5 py-1.5 data-[selected=true]:bg-muted"
          >
            <span>{entry.label}</span>
            <span className="text-muted-foreground text-xs">
              {`${t(`tab.${tabOf(entry.card)}`)} › ${entry.pageTitle} · ${entry.key}`}
            </span>
          </Command.Item>
        ))}
      </Command.List>
    </Command>
  );
}

function useFind(options: readonly SearchedOption[]): (text: string) => SearchEntry[] {
  const t = useTranslations("setting");
  const titleOf = usePageTitle();
  const { label, hint } = useOptionText();
  const entries = options.map(({ key, card }) => ({
    key,
    card,
    label: label(key),
    hint: hint(key),
    cardTitle: t(`card.${card}.title`),
    pageTitle: titleOf(pageOf(card)),
  }));
  return (text) => searchOptions(entries, text);
}
