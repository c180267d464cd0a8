"use client";

import { Pause, Play, Radio } from "lucide-react";
import { useSearchParams } from "next/navigation";
import { useTranslations } from "next-intl";
import type { ReactNode } from "react";
import type { ColumnChoice } from "@/components/data-table/column-choice";
import { ColumnMenu } from "@/components/data-table/column-menu";
import { ExportMenu } from "@/components/data-table/export-menu";
import { filterQuery } from "@/components/data-table/list-params";
import { Button } from "@/components/ui/button";
import { cn } from "@/components/ui/class-names";
import { useLive } from "./live-context";
import { logFilterParams } from "./log-search";

type LogToolbarProps = { isAdmin: boolean; views: ReactNode; choice: ColumnChoice };

/** Live mode, saved views, export and column choice. */
export function LogToolbar({ isAdmin, views, choice }: LogToolbarProps) {
  const query = filterQuery(useSearchParams(), logFilterParams);
  return (
    <>
      <LiveControls />
      {views}
      <ExportMenu path="/log/export" query={query} />
      <LogColumnMenu isAdmin={isAdmin} choice={choice} />
    </>
  );
}

function LogColumnMenu({ isAdmin, choice }: { isAdmin: boolean; choice: ColumnChoice }) {
  const t = useTranslations("log");
  const ofAdministrators = [
    { id: "channel", label: t("channel") },
    { id: "user", label: t("user") },
    { id: "bought", label: t("bought"), from: "2xl" as const },
    { id: "margin", label: t("margin"), from: "2xl" as const },
    { id: "retry", label: t("retry"), from: "wide" as const },
  ];
  const columns = [
    { id: "token", label: t("token") },
    { id: "group", label: t("group"), from: "2xl" as const },
    { id: "type", label: t("type") },
    { id: "model", label: t("model") },
    { id: "useTime", label: t("useTime") },
    { id: "prompt", label: t("prompt") },
    { id: "completion", label: t("completion") },
    { id: "cost", label: t("cost") },
    { id: "details", label: t("details"), from: "2xl" as const },
  ];
  return <ColumnMenu list="logs" columns={isAdmin ? [...ofAdministrators, ...columns] : columns} choice={choice} />;
}

function LiveControls() {
  const t = useTranslations("log");
  const { isLive, isPaused, feed, setLive, setPaused } = useLive();
  return (
    <>
      <p role="status" className="text-muted-foreground text-xs tabular-nums">
        {isLive ? <LiveStatus /> : null}
      </p>
      <Button
        size="md"
        aria-pressed={isLive}
        onClick={() => setLive(!isLive)}
        className={cn(isLive && "border-primary text-primary")}
      >
        <Radio aria-hidden className={cn(isLive && !isPaused && feed.connection === "open" && "animate-pulse")} />
        {t("live")}
      </Button>
      {isLive ? (
        <Button size="md" onClick={() => setPaused(!isPaused)}>
          {isPaused ? <Play aria-hidden /> : <Pause aria-hidden />}
          {isPaused ? t("resume") : t("pause")}
        </Button>
      ) : null}
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
