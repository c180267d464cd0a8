"use client";

import { X } from "lucide-react";
import { useTranslations } from "next-intl";
import { type ClipboardEvent, type KeyboardEvent, memo, useCallback, useEffect, useId, useRef, useState } from "react";
import { cn } from "@/components/ui/class-names";
import { isComposing } from "@/components/ui/composing";
import { fieldClasses } from "@/components/ui/input";
import type { FieldControl } from "./field";

type TagInputProps = {
  control: FieldControl;
  values: string[];
  onValues: (values: string[]) => void;
  suggestions?: string[];
  /** Allow only suggested values. */
  strict?: boolean;
  placeholder?: string;
  onDuplicate?: () => void;
};

const NONE: string[] = [];

/** List input: Enter or a comma adds an item, Backspace in the empty field removes the last one. */
export function TagInput(props: TagInputProps) {
  const { control, values, onValues, suggestions = NONE, strict = false, placeholder, onDuplicate } = props;
  const listId = useId();
  const [draft, setDraft] = useState("");
  const remove = useRef((_value: string) => {});
  useEffect(() => {
    remove.current = (value) => onValues(values.filter((other) => other !== value));
  });
  const onRemove = useCallback((value: string) => remove.current(value), []);

  const add = (text: string) => {
    const parts = [...new Set(text.split(/[,，\n]/).map((part) => part.trim()))].filter(Boolean);
    if (parts.length === 0) return;
    const fresh = parts.filter((part) => !values.includes(part) && (!strict || suggestions.includes(part)));
    if (parts.some((part) => values.includes(part))) onDuplicate?.();
    if (fresh.length > 0) onValues([...values, ...fresh]);
    setDraft(strict && fresh.length === 0 && !parts.some((part) => values.includes(part)) ? text : "");
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (isComposing(event)) return;
    if (event.key === "Enter" || event.key === ",") {
      event.preventDefault();
      add(draft);
    } else if (event.key === "Backspace" && draft === "") onValues(values.slice(0, -1));
  };
  const onPaste = (event: ClipboardEvent<HTMLInputElement>) => {
    const text = event.clipboardData.getData("text");
    if (!/[,，\n]/.test(text)) return;
    event.preventDefault();
    add(draft + text);
  };
  const onChange = (text: string, isOver = true) => {
    if (!isOver) setDraft(text);
    else if (suggestions.includes(text) && !suggestions.some((other) => other !== text && other.startsWith(text)))
      add(text);
    else setDraft(text);
  };
  return (
    <div
      className={cn(
        fieldClasses,
        "flex max-h-48 min-h-9 flex-wrap gap-1 overflow-y-auto p-1 focus-within:outline-2 focus-within:outline-ring",
        control["aria-invalid"] && "border-destructive",
      )}
    >
      <Items values={values} onRemove={onRemove} />
      <input
        dir="auto"
        {...control}
        list={listId}
        value={draft}
        placeholder={values.length === 0 ? placeholder : undefined}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => onChange(event.target.value, !isComposing(event))}
        onCompositionEnd={(event) => onChange(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
        onBlur={() => add(draft)}
        className="h-6.5 min-w-28 flex-1 bg-transparent px-1.5 outline-none placeholder:text-muted-foreground"
      />
      <Suggestions id={listId} values={values} suggestions={suggestions} />
    </div>
  );
}

// Both are memoized: a channel has hundreds of models, which would be drawn again with every key typed in its form.

const Items = memo(function Items({ values, onRemove }: { values: string[]; onRemove: (value: string) => void }) {
  const t = useTranslations("common");
  return values.map((value) => (
    <span
      key={value}
      data-slot="tag-item"
      className="flex max-w-full items-center gap-0.5 rounded bg-muted py-0.5 pr-0.5 pl-1.5 text-xs leading-5"
    >
      <span dir="auto" className="truncate">
        {value}
      </span>
      <button
        type="button"
        aria-label={t("removeItem", { name: value })}
        onClick={() => onRemove(value)}
        className="grid size-5 place-items-center rounded text-muted-foreground hover:bg-border hover:text-foreground"
      >
        <X className="size-3" aria-hidden />
      </button>
    </span>
  ));
});

type SuggestionsProps = { id: string; values: string[]; suggestions: string[] };

const Suggestions = memo(function Suggestions({ id, values, suggestions }: SuggestionsProps) {
  const taken = new Set(values);
  return (
    <datalist id={id}>
      {suggestions
        .filter((suggestion) => !taken.has(suggestion))
        .map((suggestion) => (
          <option key={suggestion} value={suggestion} />
        ))}
    </datalist>
  );
});
