"use client";

import { Download, Pause, Play, Radio } from "lucide-react";
import { useSearchParams } from "next/navigation";
import { useTranslations } from "next-intl";
import { Button } from "@/components/ui/button";
import { cn } from "@/components/ui/class-names";
import { Menu, MenuItem } from "@/components/ui/dropdown-menu";
import type { SavedView } from "@/lib/log/view-schemas";
import { filterQuery, useLive } from "./live-context";
import type { LogActions } from "./log-actions";
import { SavedViews } from "./saved-views";

type LogToolbarProps = { views: SavedView[]; actions: LogActions };

/** What can be done with the filtered log: follow it, keep the filters, take it away. */
export function LogToolbar({ views, actions }: LogToolbarProps) {
  return (
    <div className="flex flex-wrap items-center gap-2 border-b px-4 py-2">
      <LiveControls />
      <div className="ml-auto flex items-center gap-2">
        <SavedViews views={views} actions={actions} />
        <ExportMenu />
      </div>
    </div>
  );
}

function LiveControls() {
  const t = useTranslations("log");
  const { isLive, isPaused, feed, setLive, setPaused } = useLive();
  return (
    <>
      <Button
        aria-pressed={isLive}
        onClick={() => setLive(!isLive)}
        className={cn(isLive && "border-primary text-primary")}
      >
        <Radio aria-hidden className={cn(isLive && !isPaused && feed.connection === "open" && "animate-pulse")} />
        {t("live")}
      </Button>
      {isLive ? (
        <Button onClick={() => setPaused(!isPaused)}>
          {isPaused ? <Play aria-hidden /> : <Pause aria-hidden />}
          {isPaused ? t("resume") : t("pause")}
        </Button>
      ) : null}
      <p role="status" className="text-muted-foreground text-xs tabular-nums">
        {isLive ? <LiveStatus /> : null}
      </p>
    </>
  );
}

function LiveStatus() {
  const t = useTranslations("log");
  const { isPaused, feed } = useLive();
  if (feed.connection === "refused") return t("liveRefused");
  if (feed.connection !== "open") return t("liveConnecting");
  const text = isPaused ? t("liveHeld", { count: feed.waiting.length }) : t("liveCount", { count: feed.rows.length });
  return feed.isPart ? `${text} ${t("livePart")}` : text;
}

function ExportMenu() {
  const t = useTranslations("log");
  const query = filterQuery(useSearchParams());
  const hrefOf = (format: string) =>
    `/log/export?${new URLSearchParams([["format", format], ...new URLSearchParams(query)])}`;
  const trigger = (
    <Button>
      <Download aria-hidden />
      {t("export")}
    </Button>
  );
  return (
    <Menu trigger={trigger} label={t("export")}>
      <MenuItem asChild>
        <a href={hrefOf("csv")} download>
          {t("exportCsv")}
        </a>
      </MenuItem>
      <MenuItem asChild>
        <a href={hrefOf("jsonl")} download>
          {t("exportJsonl")}
        </a>
      </MenuItem>
    </Menu>
  );
}
