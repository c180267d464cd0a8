"use client";

import { useTranslations } from "next-intl";
import { useEffect, useId, useState } from "react";
import { useRefresh } from "@/components/data-table/use-refresh";
import { readStored, writeStored } from "@/components/ui/stored";
import { Switch } from "@/components/ui/switch";

const KEY = "task-auto-refresh";
const EVERY_SECONDS = 5;

/**
 * Refreshes the page periodically while it is visible. Rendered only while tasks are unfinished; the on/off choice is stored
 * in the browser.
 */
export function AutoRefresh() {
  const t = useTranslations("task");
  const refresh = useRefresh();
  const id = useId();
  const [on, setOn] = useState(true);
  useEffect(() => setOn(readStored(KEY) !== "off"), []);
  useEffect(() => {
    if (!on) return;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") void refresh({ isQuiet: true });
    }, EVERY_SECONDS * 1_000);
    return () => clearInterval(timer);
  }, [on, refresh]);
  const onChecked = (next: boolean) => {
    writeStored(KEY, next ? null : "off");
    setOn(next);
  };
  return (
    <div className="flex flex-wrap items-center gap-x-2.5 gap-y-0.5 border-b px-4 py-1.5 text-xs">
      <Switch id={id} checked={on} onCheckedChange={onChecked} />
      <label htmlFor={id} className="font-medium">
        {t("live")}
      </label>
      <span className="text-muted-foreground">{t("liveHint", { seconds: String(EVERY_SECONDS) })}</span>
    </div>
  );
}
