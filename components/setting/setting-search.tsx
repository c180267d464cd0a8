"use client";

import { Command } from "cmdk";
import { Search } from "lucide-react";
import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import { type FocusEvent, useState } from "react";
import { fieldClasses } from "@/components/ui/input";
import { type OptionCard, tabOf } from "@/lib/option/cards";
import { useOptionText } from "./option-text";
import { showAnchor } from "./use-anchor";

export type SearchEntry = { key: string; card: OptionCard };

/** Finds a setting on any tab by its label, hint or key, and goes to it. */
export function SettingSearch({ entries }: { entries: readonly SearchEntry[] }) {
  const t = useTranslations("setting");
  const router = useRouter();
  const { label, hint } = useOptionText();
  const [text, setText] = useState("");
  const open = text !== "";
  const onSelect = ({ key, card }: SearchEntry) => {
    setText("");
    const tab = tabOf(card);
    if (new URLSearchParams(window.location.search).get("tab") === tab) {
      window.history.replaceState(null, "", `#${key}`);
      showAnchor(key);
    } else router.push(`/setting?tab=${tab}#${key}`);
  };
  const onBlur = (event: FocusEvent<HTMLElement>) => {
    if (!event.currentTarget.contains(event.relatedTarget)) setText("");
  };
  return (
    <Command label={t("search")} onBlur={onBlur} className="relative w-full sm:w-72">
      <Search className="pointer-events-none absolute top-2.5 left-2.5 size-4 text-muted-foreground" aria-hidden />
      <Command.Input asChild value={text} onValueChange={setText}>
        {/* biome-ignore lint/a11y/useAriaPropsSupportedByRole: the library makes it a combobox and says that it is always open */}
        <input
          aria-expanded={open}
          placeholder={t("search")}
          onKeyDown={(event) => (event.key === "Escape" ? setText("") : undefined)}
          className={`${fieldClasses} h-9 pr-2.5 pl-8`}
        />
      </Command.Input>
      <Command.List
        label={t("searchResults")}
        className="absolute inset-x-0 top-full z-40 mt-1 max-h-80 overflow-y-auto rounded-lg border bg-surface p-1 shadow-lg"
        hidden={!open}
      >
        {open ? <Command.Empty className="px-2.5 py-2 text-muted-foreground">{t("searchEmpty")}</Command.Empty> : null}
        {open &&
          entries.map((entry) => (
            <Command.Item
              key={entry.key}
              value={entry.key}
              keywords={[label(entry.key), hint(entry.key), t(`card.${entry.card}.title`)]}
              onSelect={() => onSelect(entry)}
              className="flex cursor-pointer flex-col rounded-md px-2.5 py-1.5 data-[selected=true]:bg-muted"
            >
              <span>{label(entry.key)}</span>
              <span className="text-muted-foreground text-xs">
                {`${t(`tab.${tabOf(entry.card)}`)} › ${t(`card.${entry.card}.title`)} · ${entry.key}`}
              </span>
            </Command.Item>
          ))}
      </Command.List>
    </Command>
  );
}
