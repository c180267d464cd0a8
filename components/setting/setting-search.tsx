"use client";

import { Search } from "lucide-react";
import { useTranslations } from "next-intl";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { fieldClasses } from "@/components/ui/input";
import { later, useLater } from "@/components/ui/later";
import type { SearchedOption, SearchStart } from "./setting-search-field";
import { useSearchKey } from "./use-search-key";

const searchCode = later(() => import("./setting-search-field").then(({ SettingSearchField }) => SettingSearchField));

/** The search over all settings. Until its code is here, a field takes what is typed and hands it over. */
export function SettingSearch({ options }: { options: readonly SearchedOption[] }) {
  const [start, setStart] = useState<SearchStart>({ text: "", isFocused: false });
  const Field = useLater(searchCode, start.isFocused);
  return Field ? <Field options={options} start={start} /> : <WaitingField start={start} onStart={setStart} />;
}

function WaitingField({ start, onStart }: { start: SearchStart; onStart: (start: SearchStart) => void }) {
  const t = useTranslations("setting");
  const field = useRef<HTMLInputElement>(null);
  useSearchKey(field);
  // Somebody may have typed before React took the page over.
  const takeOver = useEffectEvent(() => {
    const input = field.current;
    if (input && (input.value !== "" || input === document.activeElement))
      onStart({ text: input.value, isFocused: input === document.activeElement });
  });
  useEffect(() => takeOver(), []);
  return (
    <div className="relative w-full sm:w-80">
      <Search className="pointer-events-none absolute top-2.5 left-2.5 size-4 text-muted-foreground" aria-hidden />
      <input
        dir="auto"
        ref={field}
        value={start.text}
        onChange={(event) => onStart({ text: event.target.value, isFocused: true })}
        onFocus={() => onStart({ ...start, isFocused: true })}
        onBlur={() => onStart({ ...start, isFocused: false })}
        placeholder={t("search")}
        aria-label={t("search")}
        className={`${fieldClasses} h-9 pr-2.5 pl-8`}
      />
    </div>
  );
}
