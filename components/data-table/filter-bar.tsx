"use client";

import { RotateCw, Search, SlidersHorizontal, X } from "lucide-react";
import { useTranslations } from "next-intl";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { Button } from "@/components/ui/button";
import { cn } from "@/components/ui/class-names";
import { isComposing } from "@/components/ui/composing";
import { Input } from "@/components/ui/input";
import { type FilterChip, FilterChips } from "./filter-chips";
import { useListTransition } from "./list-transition";
import { useRefresh } from "./use-refresh";

const TYPING_PAUSE_MS = 300;
const NO_CHIPS: readonly FilterChip[] = [];

type FilterBarProps = {
  children: ReactNode;
  active: boolean;
  onClear: () => void;
  /** The active filters; shown below the bar. */
  chips?: readonly FilterChip[];
  /** Further buttons, before refresh. */
  actions?: ReactNode;
};

/** The row of filters, with clear and refresh. The "/" key focuses the first field. */
export function FilterBar({ children, active, onClear, chips = NO_CHIPS, actions }: FilterBarProps) {
  const t = useTranslations("common");
  const refresh = useRefresh();
  const { pending, startTransition } = useListTransition();
  const bar = useRef<HTMLFormElement>(null);
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.target instanceof HTMLElement ? event.target : null;
      if (event.key !== "/" || isComposing(event) || target?.closest("input, textarea, select, [role=dialog]")) return;
      event.preventDefault();
      bar.current?.querySelector("input")?.focus();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  return (
    <search>
      <form
        ref={bar}
        onSubmit={(event) => event.preventDefault()}
        className="flex flex-wrap items-center gap-2 border-b px-4 py-3"
      >
        <div className={cn("contents", !open && "max-sm:hidden")}>{children}</div>
        <Button
          size="md"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className={cn("px-2.5 sm:hidden", !open && active && "border-primary text-primary")}
        >
          <SlidersHorizontal aria-hidden />
          {t("filters")}
        </Button>
        <div className="ml-auto flex flex-wrap items-center justify-end gap-1.5 max-sm:contents">
          {active && chips.length === 0 ? (
            <Button variant="ghost" size="md" onClick={onClear} className="px-2.5 text-muted-foreground">
              <X aria-hidden />
              <span className="max-sm:sr-only">{t("clearFilters")}</span>
            </Button>
          ) : null}
          {actions}
          <Button
            size="iconMd"
            aria-label={t("refresh")}
            disabled={pending}
            onClick={() => startTransition(() => refresh())}
          >
            <RotateCw className={cn(pending && "animate-spin")} />
          </Button>
        </div>
      </form>
      {chips.length > 0 ? <FilterChips chips={chips} onClear={onClear} /> : null}
    </search>
  );
}

type TextFilterProps = {
  label: string;
  placeholder?: string;
  value: string;
  onValue: (value: string) => void;
  search?: boolean;
  className?: string;
  inputMode?: "numeric";
};

/** A text filter. Applies when the user stops typing, or at once on Enter and when it is left. */
export function TextFilter({ label, placeholder, value, onValue, search, className, inputMode }: TextFilterProps) {
  const [draft, setDraft] = useState(value);
  const [applied, setApplied] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  if (applied !== value) {
    setApplied(value);
    setDraft(value);
  }
  useEffect(() => () => clearTimeout(timer.current), []);
  const apply = (text: string) => {
    clearTimeout(timer.current);
    if (text.trim() === value) return;
    setApplied(text.trim());
    onValue(text.trim());
  };
  const onChange = (text: string, isOver = true) => {
    setDraft(text);
    clearTimeout(timer.current);
    // A half-composed word is no filter, and a renewed list would end its composition.
    if (!isOver) return;
    timer.current = setTimeout(() => apply(text), TYPING_PAUSE_MS);
  };
  return (
    <div className={cn("relative w-full sm:w-44", className)}>
      {search ? (
        <Search
          className="pointer-events-none absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-muted-foreground"
          aria-hidden
        />
      ) : null}
      <Input
        aria-label={label}
        placeholder={placeholder ?? label}
        value={draft}
        inputMode={inputMode}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => onChange(event.target.value, !isComposing(event))}
        onCompositionEnd={(event) => onChange(event.currentTarget.value)}
        onKeyDown={(event) => (event.key === "Enter" && !isComposing(event) ? apply(draft) : undefined)}
        onBlur={() => apply(draft)}
        className={search ? "pl-8" : ""}
      />
    </div>
  );
}
