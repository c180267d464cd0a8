"use client";

import { useTranslations } from "next-intl";
import { useId, useState } from "react";
import { useCopy } from "@/components/form/copy-button";
import { badgeVariants } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { cn } from "@/components/ui/class-names";

const SHOWN_FIRST = 10;

/** The models that this account can call; a click copies the name. */
export function ModelChips({ models }: { models: string[] }) {
  const t = useTranslations("personal");
  const copy = useCopy();
  const id = useId();
  const [open, setOpen] = useState(false);
  const shown = open ? models : models.slice(0, SHOWN_FIRST);
  const more = models.length - SHOWN_FIRST;
  return (
    <div className="px-5 py-4">
      <h3 dir="auto" id={id} className="mb-2 flex items-baseline gap-2 font-medium">
        {t("models")}
        <span className="font-normal text-muted-foreground text-xs tabular-nums">{models.length}</span>
      </h3>
      {models.length === 0 ? <p className="text-muted-foreground">{t("modelsNone")}</p> : null}
      <ul aria-labelledby={id} className="flex flex-wrap gap-1.5">
        {shown.map((model) => (
          <li key={model} className="min-w-0">
            <button
              type="button"
              title={t("modelCopy", { model })}
              onClick={() => copy(model, t("modelCopied", { model }))}
              className={cn(
                badgeVariants({ hue: "cyan" }),
                "py-1 font-mono font-normal hover:brightness-95 dark:hover:brightness-125",
              )}
            >
              <span className="truncate">{model}</span>
            </button>
          </li>
        ))}
        {more > 0 ? (
          <li>
            <Button
              variant="ghost"
              className="h-6 px-1.5 font-normal text-muted-foreground text-xs"
              aria-expanded={open}
              onClick={() => setOpen(!open)}
            >
              {open ? t("modelsLess") : t("modelsMore", { count: more })}
            </Button>
          </li>
        ) : null}
      </ul>
    </div>
  );
}
