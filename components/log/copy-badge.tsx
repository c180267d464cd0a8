"use client";

import { useTranslations } from "next-intl";
import { useCopy } from "@/components/form/copy-button";
import { badgeVariants, type Hue } from "@/components/ui/badge";
import { cn } from "@/components/ui/class-names";

/** A name as a badge; a click copies it. */
export function CopyBadge({ text, hue, className }: { text: string; hue: Hue; className?: string }) {
  const t = useTranslations("log");
  const copy = useCopy();
  return (
    <button
      type="button"
      title={t("copyName", { name: text })}
      aria-label={t("copyName", { name: text })}
      onClick={() => copy(text)}
      className={cn(badgeVariants({ hue }), "cursor-pointer hover:underline", className)}
    >
      <span dir="auto" className="truncate">
        {text}
      </span>
    </button>
  );
}
