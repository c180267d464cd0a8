"use client";

import { useTranslations } from "next-intl";
import type { ReactNode } from "react";
import type { ColumnChoice } from "@/components/data-table/column-choice";
import { Pagination } from "@/components/data-table/pagination";
import type { Page } from "@/lib/page";
import type { UsageLog } from "@/lib/usage-log/columns";
import { useLive } from "./live-context";
import { LIVE_ROWS_MAX, mergeRows } from "./live-feed";
import { LogTable } from "./log-table";

type LogRowsProps = {
  page: Page<UsageLog>;
  isAdmin: boolean;
  isOpen: boolean;
  /** A row that is open beside the list without being in it. */
  stray: UsageLog | null;
  choice: ColumnChoice;
  serverAddress: string;
  /** Shown when there are no rows. */
  empty: ReactNode;
};

/** The rows of the page; in live mode preceded by the rows received since. */
export function LogRows({ page, empty, ...table }: LogRowsProps) {
  const t = useTranslations("log");
  const { isLive, feed } = useLive();
  const { items, total, ...paging } = page;
  if (!isLive) {
    if (total === 0) return empty;
    return (
      <>
        <LogTable {...table} rows={items} />
        <Pagination {...paging} total={total} />
      </>
    );
  }
  const rows = mergeRows(feed.rows, items);
  const known = new Set(items.map(({ id }) => id));
  const fresh = new Set(feed.rows.map(({ id }) => id).filter((id) => !known.has(id)));
  return (
    <>
      {rows.length === 0 ? (
        <p className="px-6 py-14 text-center text-muted-foreground">{t("liveWaiting")}</p>
      ) : (
        <LogTable {...table} rows={rows} fresh={fresh} />
      )}
      <p className="border-t px-4 py-3 text-muted-foreground text-xs">
        {t("liveKept", { max: String(LIVE_ROWS_MAX) })}
      </p>
    </>
  );
}
