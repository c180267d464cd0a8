"use client";

import { Pencil } from "lucide-react";
import { useTranslations } from "next-intl";
import { type KeyboardEvent, useOptimistic, useRef, useState } from "react";
import { toast } from "sonner";
import { ConfirmDialog } from "@/components/form/confirm-dialog";
import { useRunAction } from "@/components/form/use-run-action";
import { cn } from "@/components/ui/class-names";
import type { ActionResult } from "@/lib/http/action";

type InlineNumberProps = {
  label: string;
  /** Null = the rows behind it differ. */
  value: number | null;
  min: number;
  save: (value: number) => Promise<ActionResult<unknown>>;
  /** Asked before it is saved; then what is no whole number is refused in words instead of being put right. */
  confirm?: (value: number) => { title: string; text: string };
  /** What is said of something that is no number that may stand here. */
  invalid?: string;
};

/** A number that becomes a field on a click. Enter or leaving saves, Escape does not, and nothing is sent unchanged. */
export function InlineNumber({ label, value, min, save, confirm, invalid }: InlineNumberProps) {
  const common = useTranslations("common");
  const { pending, run } = useRunAction();
  const [shown, setShown] = useOptimistic(value);
  const [draft, setDraft] = useState<string | null>(null);
  const [asked, setAsked] = useState<number | null>(null);
  const left = useRef(false);

  const store = (next: number) =>
    run(
      () => {
        setShown(next);
        return save(next);
      },
      () => setAsked(null),
    );
  const onDone = () => {
    if (left.current || draft === null) return;
    left.current = true;
    setDraft(null);
    const next = read(draft, min, confirm !== undefined);
    if (next === null) {
      if (invalid) toast.info(invalid, { duration: 3000 });
      return;
    }
    if (next === value) return;
    if (confirm) setAsked(next);
    else store(next);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === "Enter") {
      // The same stroke would press the button of the question that comes up.
      event.preventDefault();
      onDone();
    }
    if (event.key !== "Escape") return;
    left.current = true;
    setDraft(null);
  };
  const question = asked === null ? null : confirm?.(asked);
  return (
    <>
      {draft === null ? (
        <button
          type="button"
          aria-label={`${label}: ${shown ?? "—"}`}
          aria-busy={pending || undefined}
          onClick={() => {
            left.current = false;
            setDraft(value === null ? "" : String(value));
          }}
          className={cn(
            "group/number relative -mr-1 rounded border border-transparent px-1 py-0.5 tabular-nums hover:border-input hover:bg-surface",
            pending && "opacity-60",
          )}
        >
          <Pencil
            className="absolute top-1/2 right-full mr-1 size-3 -translate-y-1/2 text-muted-foreground opacity-0 group-hover/number:opacity-100"
            aria-hidden
          />
          {shown ?? "—"}
        </button>
      ) : (
        <input
          aria-label={label}
          inputMode="numeric"
          // biome-ignore lint/a11y/noAutofocus: the field takes the place of what was clicked
          autoFocus
          value={draft}
          onFocus={(event) => event.currentTarget.select()}
          onChange={(event) => setDraft(event.target.value)}
          onKeyDown={onKeyDown}
          onBlur={onDone}
          className="h-7 w-16 rounded border border-input bg-surface px-1.5 text-right text-foreground text-sm tabular-nums"
        />
      )}
      {confirm ? (
        <ConfirmDialog
          open={asked !== null}
          onClose={() => setAsked(null)}
          onConfirm={() => (asked === null ? undefined : store(asked))}
          pending={pending}
          title={question?.title ?? ""}
          text={question?.text ?? ""}
          confirm={common("submit")}
          danger={false}
        />
      ) : null}
    </>
  );
}

/** Null = nothing that can be saved. A row takes the whole part and the nearest bound; a tag takes what is right only. */
function read(text: string, min: number, isStrict: boolean): number | null {
  const trimmed = text.trim();
  if (isStrict) return /^-?\d{1,9}$/.test(trimmed) && Number(trimmed) >= min ? Number(trimmed) : null;
  const whole = Number.parseInt(trimmed, 10);
  return Number.isNaN(whole) ? null : Math.min(Math.max(whole, min), 2_147_483_647);
}
