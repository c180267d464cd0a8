"use client";

import { useSearchParams } from "next/navigation";
import { useTranslations } from "next-intl";
import { useQueryStates } from "nuqs";
import type { MouseEvent } from "react";
import { filterQuery, pagingParams, peekParams } from "@/components/data-table/list-params";
import { useListTransition } from "@/components/data-table/list-transition";
import { cn } from "@/components/ui/class-names";
import { Link } from "@/components/ui/link";
import { LOG_VIEWS, logFilterParams, logViewParam } from "./log-search";

type LogView = (typeof LOG_VIEWS)[number];

const shownParams = { view: logViewParam, page: pagingParams.page, ...peekParams };

/**
 * The tabs of the log: its rows, and failed requests by cause. The filters stay, also one that was typed just now and is
 * not in the address yet: it goes there together with the tab.
 */
export function LogViews({ current }: { current: LogView }) {
  const t = useTranslations("log.failure");
  const query = filterQuery(useSearchParams(), logFilterParams);
  const { startTransition } = useListTransition();
  const [, show] = useQueryStates(shownParams, { shallow: false, history: "push", startTransition });
  const onClick = (event: MouseEvent, view: LogView) => {
    // Another tab or window shows what the address says.
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    void show({ view, page: null, peek: null });
  };
  const hrefOf = (view: string) =>
    `/log?${view === "rows" ? query : [query, `view=${view}`].filter(Boolean).join("&")}`;
  return (
    <nav aria-label={t("views")} className="mb-3 flex gap-1 border-b">
      {LOG_VIEWS.map((view) => (
        <Link
          key={view}
          href={hrefOf(view)}
          onClick={(event) => onClick(event, view)}
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
