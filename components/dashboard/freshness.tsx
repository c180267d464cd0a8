"use client";

import { RotateCw } from "lucide-react";
import { useTranslations } from "next-intl";
import { useEffect } from "react";
import { useListTransition } from "@/components/data-table/list-transition";
import { useRefresh } from "@/components/data-table/use-refresh";
import { Button } from "@/components/ui/button";
import { cn } from "@/components/ui/class-names";
import { toZonedField } from "./zone";

const MINUTE_MS = 60_000;

type FreshnessProps = { readAt: number; timeZone: string; everyMinutes: number };

/** Shows when the figures were read, and reloads them every `everyMinutes` while the page is visible. */
export function Freshness({ readAt, timeZone, everyMinutes }: FreshnessProps) {
  const t = useTranslations("dashboard");
  const common = useTranslations("common");
  const reload = useRefresh();
  const { pending, startTransition } = useListTransition();
  useEffect(() => {
    const refresh = () => (document.visibilityState === "visible" ? void reload({ isQuiet: true }) : undefined);
    const timer = setInterval(refresh, everyMinutes * MINUTE_MS);
    return () => clearInterval(timer);
  }, [reload, everyMinutes]);
  const [, time = ""] = toZonedField(readAt, timeZone).split("T");
  return (
    <div className="flex items-center gap-2 text-muted-foreground text-xs">
      <p data-testid="freshness">{t("freshness", { time, minutes: String(everyMinutes) })}</p>
      <Button
        size="icon"
        aria-label={common("refresh")}
        disabled={pending}
        onClick={() => startTransition(() => reload())}
      >
        <RotateCw className={cn(pending && "animate-spin")} />
      </Button>
    </div>
  );
}
