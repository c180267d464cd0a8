"use client";

import { Search } from "lucide-react";
import { useTranslations } from "next-intl";
import { Button } from "@/components/ui/button";
import { showWindow } from "./open-state";
import { useModifierKey } from "./shortcuts";

export function PaletteButton() {
  const t = useTranslations("palette");
  const modifier = useModifierKey();
  return (
    <Button
      variant="outline"
      size="md"
      aria-label={t("open")}
      aria-keyshortcuts="Control+K Meta+K"
      onClick={() => showWindow("palette")}
      className="mr-1 gap-2 px-2.5 font-normal text-muted-foreground"
    >
      <Search aria-hidden />
      <span className="max-lg:hidden">{t("openShort")}</span>
      <kbd className="rounded border bg-muted px-1 font-sans text-[0.6875rem] leading-4 max-lg:hidden">
        {modifier} K
      </kbd>
    </Button>
  );
}
