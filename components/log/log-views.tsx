"use client";

import { useSearchParams } from "next/navigation";
import { useTranslations } from "next-intl";
import { filterQuery } from "@/components/data-table/filter-query";
import { cn } from "@/components/ui/class-names";
import { Link } from "@/components/ui/link";
import { LOG_VIEWS, logFilterParams } from "./log-search";

/** The tabs of the log: its rows, and failed requests by cause. The filters stay. */
export function LogViews({ current }: { current: (typeof LOG_VIEWS)[number] }) {
  const t = useTranslations("log.failure");
  const query = filterQuery(useSearchParams(), logFilterParams);
  const hrefOf = (view: string) =>
    `/log?${view === "rows" ? query : [query, `view=${view}`].filter(Boolean).join("&")}`;
  return (
    <nav aria-label={t("views")} className="mb-3 flex gap-1 border-b">
      {LOG_VIEWS.map((view) => (
        <Link
          key={view}
          href={hrefOf(view)}
          aria-current={view === current ? "page" : undefined}
          className={cn(
            "-mb-px flex h-9 items-center border-transparent border-b-2 px-3 text-muted-foreground hover:text-foreground",
            view === current && "border-primary font-medium text-foreground",
          )}
        >
          {t(`view.${view}`)}
        </Link>
      ))}
    </nav>
  );
}
