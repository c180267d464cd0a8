"use client";

import { ChevronRight } from "lucide-react";
import { useTranslations } from "next-intl";
import { Button } from "@/components/ui/button";
import { cn } from "@/components/ui/class-names";

type ExpandButtonProps = { id: number; opened: ReadonlySet<number>; onToggle: (id: number) => void };

/** Opens or closes an entry of the audit log. */
export function ExpandButton({ id, opened, onToggle }: ExpandButtonProps) {
  const t = useTranslations("audit");
  const open = opened.has(id);
  return (
    <Button
      id={`audit-${id}`}
      variant="ghost"
      size="icon"
      className="size-7 text-muted-foreground"
      aria-expanded={open}
      aria-label={open ? t("collapse", { id: String(id) }) : t("expand", { id: String(id) })}
      onClick={() => onToggle(id)}
    >
      <ChevronRight className={cn("transition-transform", open && "rotate-90")} />
    </Button>
  );
}
