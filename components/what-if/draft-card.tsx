"use client";

import { useTranslations } from "next-intl";
import type { ReactNode } from "react";
import { Button } from "@/components/ui/button";

type DraftCardProps = {
  title: string;
  text: string;
  /** How many values differ from those in force. */
  changes: number;
  error?: string | null;
  pending: { preview: boolean; apply: boolean };
  onPreview: () => void;
  onApply: () => void;
  onDiscard: () => void;
  children: ReactNode;
  /** The effect, once it was asked for. */
  effect: ReactNode;
};

/** A draft with its table, what it would do, and the way to apply it. */
export function DraftCard(props: DraftCardProps) {
  const { title, text, changes, error, pending, onPreview, onApply, onDiscard, children, effect } = props;
  const t = useTranslations("whatIf");
  const isBusy = pending.preview || pending.apply;
  return (
    <section
      aria-label={title}
      className="rounded-lg border bg-surface max-md:-mx-4 max-md:rounded-none max-md:border-x-0"
    >
      <header className="px-4 pt-4 pb-3">
        <h2 dir="auto" className="font-semibold">
          {title}
        </h2>
        <p className="mt-0.5 text-muted-foreground text-pretty text-xs">{text}</p>
      </header>
      {children}
      <footer className="flex flex-wrap items-center justify-end gap-2 border-t px-4 py-2.5">
        <span className="mr-auto text-muted-foreground text-xs" aria-live="polite">
          {error ? (
            <span role="alert" className="text-destructive">
              {error}
            </span>
          ) : (
            t("changes", { count: changes })
          )}
        </span>
        <Button variant="ghost" disabled={changes === 0 || isBusy} onClick={onDiscard}>
          {t("discard")}
        </Button>
        <Button disabled={isBusy || Boolean(error)} pending={pending.preview} onClick={onPreview}>
          {t("show")}
        </Button>
        <Button
          variant="primary"
          disabled={changes === 0 || isBusy || Boolean(error)}
          pending={pending.apply}
          onClick={onApply}
        >
          {t("apply")}
        </Button>
      </footer>
      {effect ? <div className="border-t px-4 py-4">{effect}</div> : null}
    </section>
  );
}
