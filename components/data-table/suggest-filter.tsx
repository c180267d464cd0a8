"use client";

import { useTranslations } from "next-intl";
import { type KeyboardEvent, useId, useState } from "react";
import { cn } from "@/components/ui/class-names";
import { isComposing } from "@/components/ui/composing";
import { Input } from "@/components/ui/input";
import { Popover, PopoverAnchor, PopoverContent } from "@/components/ui/popover";
import type { Suggested, Suggestion } from "@/lib/suggestion/schemas";
import { useSuggestions } from "./use-suggestions";

type SuggestFilterProps = {
  label: string;
  placeholder?: string;
  value: string;
  /** What is suggested. */
  of: Suggested;
  onValue: (value: string) => void;
  /** Refuses a typed text that cannot be a value. */
  accepts?: (text: string) => boolean;
  inputMode?: "numeric";
  className?: string;
};

const ANY = () => true;

/**
 * A text filter that suggests what exists. A typed text applies on Enter or when the field is left, a suggestion when it
 * is chosen.
 */
export function SuggestFilter(props: SuggestFilterProps) {
  const { label, placeholder, value, of, onValue, accepts = ANY, inputMode, className } = props;
  const id = useId();
  const [draft, setDraft] = useState({ of: value, text: value });
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  if (draft.of !== value) setDraft({ of: value, text: value });
  // An untouched field suggests all values, not only the chosen one.
  const term = draft.text === value ? "" : draft.text.replace(/%/g, "").trim();
  const found = useSuggestions(of, term, isOpen);
  const close = () => {
    setOpen(false);
    setActive(-1);
  };
  const apply = (text: string) => {
    close();
    const next = text.trim();
    const isRefused = next !== "" && !accepts(next);
    setDraft({ of: value, text: isRefused ? value : next });
    if (!isRefused && next !== value) onValue(next);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    const chosen = isOpen ? found.items[active] : undefined;
    if (event.key === "Enter") apply(chosen?.value ?? draft.text);
    else if (event.key === "Escape" && isOpen) {
      event.stopPropagation();
      close();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      setOpen(true);
      setActive(nextActive(active, found.items.length, event.key === "ArrowDown" ? 1 : -1));
    }
  };
  return (
    <Popover open={isOpen} onOpenChange={(next) => (next ? undefined : close())}>
      <PopoverAnchor asChild>
        <div className={cn("w-full sm:w-44", className)}>
          <Input
            role="combobox"
            aria-label={label}
            aria-expanded={isOpen}
            aria-controls={isOpen ? id : undefined}
            aria-autocomplete="list"
            aria-activedescendant={active >= 0 && isOpen ? `${id}-${active}` : undefined}
            placeholder={placeholder ?? label}
            value={draft.text}
            inputMode={inputMode}
            autoComplete="off"
            spellCheck={false}
            onClick={() => setOpen(true)}
            onChange={(event) => {
              setDraft({ of: value, text: event.target.value });
              setActive(-1);
              setOpen(true);
            }}
            onBlur={() => apply(draft.text)}
            onKeyDown={onKeyDown}
          />
        </div>
      </PopoverAnchor>
      <Options id={id} label={label} found={found} active={active} onPick={apply} />
    </Popover>
  );
}

function nextActive(active: number, count: number, step: 1 | -1): number {
  if (count === 0) return -1;
  return active < 0 ? (step === 1 ? 0 : count - 1) : (active + step + count) % count;
}

type OptionsProps = {
  id: string;
  label: string;
  found: ReturnType<typeof useSuggestions>;
  active: number;
  onPick: (value: string) => void;
};

function Options({ id, label, found, active, onPick }: OptionsProps) {
  const t = useTranslations("list");
  const note = found.isPending ? t("searching") : found.isFailed ? t("searchFailed") : t("nothingFound");
  return (
    <PopoverContent
      role="presentation"
      onOpenAutoFocus={(event) => event.preventDefault()}
      onCloseAutoFocus={(event) => event.preventDefault()}
      // The field keeps the focus, so that a click on an option does not count as leaving it.
      onMouseDown={(event) => event.preventDefault()}
      onInteractOutside={(event) => {
        if (event.target instanceof Element && event.target.closest(`[aria-controls="${CSS.escape(id)}"]`))
          event.preventDefault();
      }}
      className="max-h-80 min-w-(--radix-popover-trigger-width) max-w-80 p-1"
    >
      <div id={id} role="listbox" aria-label={label}>
        {found.items.map((item, at) => (
          <Option key={item.value} id={`${id}-${at}`} item={item} isActive={at === active} onPick={onPick} />
        ))}
      </div>
      {found.items.length === 0 ? (
        <p role="status" className="px-2 py-1.5 text-muted-foreground text-sm">
          {note}
        </p>
      ) : null}
    </PopoverContent>
  );
}

type OptionProps = { id: string; item: Suggestion; isActive: boolean; onPick: (value: string) => void };

function Option({ id, item, isActive, onPick }: OptionProps) {
  return (
    // The keyboard chooses options in the text field.
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above
    // biome-ignore lint/a11y/useFocusableInteractive: see above
    <div
      id={id}
      role="option"
      aria-selected={isActive}
      ref={(element) => {
        if (isActive) element?.scrollIntoView({ block: "nearest" });
      }}
      onClick={() => onPick(item.value)}
      className={cn(
        "flex cursor-pointer items-baseline gap-2 rounded-md px-2 py-1.5 text-sm hover:bg-muted",
        isActive && "bg-muted",
      )}
    >
      <span className="truncate" dir="auto" data-user-text>
        {item.value}
      </span>
      {item.hint ? (
        <span className="truncate text-muted-foreground text-xs" dir="auto" data-user-text>
          {item.hint}
        </span>
      ) : null}
    </div>
  );
}
