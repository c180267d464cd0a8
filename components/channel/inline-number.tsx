"use client";

import { Pencil } from "lucide-react";
import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import { type KeyboardEvent, useOptimistic, useRef, useState } from "react";
import { ClashList } from "@/components/form/clash-list";
import { ConfirmDialog } from "@/components/form/confirm-dialog";
import { useRunAction } from "@/components/form/use-run-action";
import { Modal } from "@/components/overlay/modal";
import { cn } from "@/components/ui/class-names";
import { isComposing } from "@/components/ui/composing";
import { toast } from "@/components/ui/toast";
import type { ActionResult } from "@/lib/http/action";

const INFO_MS = 3000;

type InlineNumberProps = {
  label: string;
  /** Null = the rows of the tag have different values. */
  value: number | null;
  min: number;
  /** `seen` is what was shown when the input opened. */
  save: (value: number, seen: number | null) => Promise<ActionResult<unknown>>;
  /** Asks before saving. Invalid input is then refused with a message instead of being corrected. */
  confirm?: (value: number) => { title: string; text: string };
  /** The message for invalid input. */
  invalid?: string;
};

type Change = { value: number; seen: number | null };

/** A number that becomes an input on click. Enter or blur saves, Escape cancels; an unchanged value is not sent. */
export function InlineNumber({ label, value, min, save, confirm, invalid }: InlineNumberProps) {
  const common = useTranslations("common");
  const router = useRouter();
  const { pending, run } = useRunAction();
  const [shown, setShown] = useOptimistic(value);
  const [opened, setOpened] = useState<{ seen: number | null } | null>(null);
  const [asked, setAsked] = useState<Change | null>(null);
  const [clash, setClash] = useState<Change | null>(null);

  const store = (change: Change) =>
    run(
      () => {
        setShown(change.value);
        return save(change.value, change.seen);
      },
      () => {
        setAsked(null);
        setClash(null);
      },
      ({ clashes }) => {
        setAsked(null);
        const [stored] = clashes ?? [];
        if (stored) setClash({ value: change.value, seen: typeof stored.stored === "number" ? stored.stored : null });
      },
    );
  const onDone = (text: string) => {
    const seen = opened?.seen ?? null;
    setOpened(null);
    const next = read(text, min, confirm !== undefined);
    if (next === null && invalid) toast.info(invalid, { duration: INFO_MS });
    if (next === null || next === seen) return;
    const change = { value: next, seen };
    if (confirm) setAsked(change);
    else store(change);
  };
  const question = asked === null ? null : confirm?.(asked.value);
  if (opened) return <NumberField label={label} value={opened.seen} onDone={onDone} onLeave={() => setOpened(null)} />;
  return (
    <>
      <NumberButton label={label} value={shown} pending={pending} onOpen={() => setOpened({ seen: shown })} />
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
      {clash ? (
        <Modal open onClose={() => setClash(null)} title={label}>
          <ClashList
            savesAtOnce
            clashes={[{ field: "value", label, mine: String(clash.value), theirs: String(clash.seen ?? "—") }]}
            onChoose={(_, choice) => {
              if (choice === "mine") return store(clash);
              setClash(null);
              // The row still shows the value of before.
              router.refresh();
            }}
          />
        </Modal>
      ) : null}
    </>
  );
}

type NumberButtonProps = { label: string; value: number | null; pending: boolean; onOpen: () => void };

function NumberButton({ label, value, pending, onOpen }: NumberButtonProps) {
  return (
    <button
      type="button"
      aria-label={`${label}: ${value ?? "—"}`}
      aria-busy={pending || undefined}
      onClick={onOpen}
      className={cn(
        "group/number relative -mr-1 rounded border border-transparent px-1 py-0.5 tabular-nums hover:border-input hover:bg-surface",
        pending && "opacity-60",
      )}
    >
      <Pencil
        className="absolute top-1/2 right-full mr-1 size-3 -translate-y-1/2 text-muted-foreground opacity-0 group-hover/number:opacity-100"
        aria-hidden
      />
      {value ?? "—"}
    </button>
  );
}

type NumberFieldProps = { label: string; value: number | null; onDone: (text: string) => void; onLeave: () => void };

function NumberField({ label, value, onDone, onLeave }: NumberFieldProps) {
  const [draft, setDraft] = useState(value === null ? "" : String(value));
  // Removing the input also blurs it. This keeps the blur from acting again after Enter or Escape.
  const isOver = useRef(false);
  const end = (decide: () => void) => {
    if (isOver.current) return;
    isOver.current = true;
    decide();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (isComposing(event)) return;
    if (event.key === "Enter") {
      // Otherwise the same key press would also press the button of the confirmation dialog.
      event.preventDefault();
      end(() => onDone(draft));
    } else if (event.key === "Escape") end(onLeave);
  };
  return (
    <input
      dir="auto"
      aria-label={label}
      inputMode="numeric"
      // biome-ignore lint/a11y/noAutofocus: the field takes the place of what was clicked
      autoFocus
      value={draft}
      onFocus={(event) => event.currentTarget.select()}
      onChange={(event) => setDraft(event.target.value)}
      onKeyDown={onKeyDown}
      onBlur={() => end(() => onDone(draft))}
      className="h-7 w-16 rounded border border-input bg-surface px-1.5 text-right text-foreground text-sm tabular-nums"
    />
  );
}

/**
 * Null = invalid. A row truncates to an integer and clamps it to the bounds; strict mode (a tag) accepts only valid
 * integers.
 */
function read(text: string, min: number, isStrict: boolean): number | null {
  const trimmed = text.trim();
  if (isStrict) return /^-?\d{1,9}$/.test(trimmed) && Number(trimmed) >= min ? Number(trimmed) : null;
  const whole = Number.parseInt(trimmed, 10);
  return Number.isNaN(whole) ? null : Math.min(Math.max(whole, min), 2_147_483_647);
}
