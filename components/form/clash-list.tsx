"use client";

import { Users } from "lucide-react";
import { useTranslations } from "next-intl";
import { useEffect, useRef } from "react";
import { Button } from "@/components/ui/button";
import { cn } from "@/components/ui/class-names";

/** A field with the user's value and that of somebody else, as people read them. */
export type ShownClash = { field: string; label: string; mine: string; theirs: string };

type ClashListProps = {
  clashes: readonly ShownClash[];
  onChoose: (field: string, choice: "mine" | "theirs") => void;
  /** Its place among its neighbours. */
  className?: string;
  /** The choice saves, without a form that is saved afterwards. */
  savesAtOnce?: boolean;
};

/** The fields of a form that somebody else has changed meanwhile: both values side by side, one above the other on phones. */
export function ClashList({ clashes, onChoose, className, savesAtOnce = false }: ClashListProps) {
  const t = useTranslations("common.clash");
  const box = useRef<HTMLElement>(null);
  const isShown = clashes.length > 0;
  useEffect(() => {
    if (isShown) box.current?.focus();
  }, [isShown]);
  if (!isShown) return null;
  return (
    <section
      ref={box}
      tabIndex={-1}
      aria-label={t("title")}
      className={cn("flex flex-col gap-3 rounded-lg border border-warning/50 p-3 outline-none", className)}
    >
      <div className="flex gap-2">
        <Users className="mt-0.5 size-4 shrink-0 text-warning" aria-hidden />
        <div>
          <p className="font-medium">{t("title")}</p>
          <p className="text-muted-foreground text-xs">{t(savesAtOnce ? "textAtOnce" : "text")}</p>
        </div>
      </div>
      <ul className="flex flex-col gap-3">
        {clashes.map(({ field, label, mine, theirs }) => (
          <li key={field} data-clash={field} className="flex flex-col gap-1.5 border-t pt-3">
            <p className="font-medium text-xs">{label}</p>
            <div className="grid gap-2 sm:grid-cols-2">
              <Value label={t("mine")} text={mine} button={t("keepMine")} onPress={() => onChoose(field, "mine")} />
              <Value
                label={t("theirs")}
                text={theirs}
                button={t("takeTheirs")}
                onPress={() => onChoose(field, "theirs")}
              />
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

type ValueProps = { label: string; text: string; button: string; onPress: () => void };

function Value({ label, text, button, onPress }: ValueProps) {
  const t = useTranslations("common.clash");
  return (
    <div className="flex min-w-0 flex-col items-start gap-1.5 rounded-md bg-muted p-2">
      <span className="text-muted-foreground text-xs">{label}</span>
      <span
        dir="auto"
        data-user-text
        className="max-h-40 w-full flex-1 overflow-y-auto whitespace-pre-wrap wrap-anywhere"
      >
        {text === "" ? t("empty") : text}
      </span>
      <Button className="h-7 px-2 text-xs" onClick={onPress}>
        {button}
      </Button>
    </div>
  );
}
