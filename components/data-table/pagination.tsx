"use client";

import { ChevronLeft, ChevronRight } from "lucide-react";
import { useTranslations } from "next-intl";
import { useQueryStates } from "nuqs";
import { useEffect, useEffectEvent } from "react";
import { Button } from "@/components/ui/button";
import { NativeSelect } from "@/components/ui/native-select";
import { PAGE_SIZES, pagingParams, rememberPageSize } from "./list-params";
import { useListTransition } from "./list-transition";

type PaginationProps = { page: number; pageSize: number; total: number; isTotalCapped?: boolean };

export function Pagination({ page, pageSize, total, isTotalCapped = false }: PaginationProps) {
  const t = useTranslations("paging");
  const { startTransition } = useListTransition();
  const [shown, setPaging] = useQueryStates(pagingParams, { shallow: false, history: "push", startTransition });
  const pages = Math.max(1, Math.ceil(total / pageSize));
  const from = Math.min((page - 1) * pageSize + 1, total);
  const to = Math.min(page * pageSize, total);
  const more = isTotalCapped ? "+" : "";
  const onPage = (next: number) => setPaging({ page: next === 1 ? null : next });
  const onBeyond = useEffectEvent(() => {
    void setPaging({ page: page === 1 ? null : page }, { shallow: true, history: "replace" });
  });
  const isBeyond = shown.page > pages && page === pages;
  // The server shows the last page instead of one beyond the end; then so does the URL.
  useEffect(() => {
    if (isBeyond) onBeyond();
  }, [isBeyond]);
  const onSize = (size: number) => {
    rememberPageSize(size);
    setPaging({ pageSize: size, page: null });
  };
  return (
    <nav
      aria-label={t("label")}
      className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-t px-4 py-2.5 text-muted-foreground text-xs"
    >
      <p aria-live="polite" className="tabular-nums">
        {total === 0 ? t("none") : t("range", { from: String(from), to: String(to), total: `${total}${more}` })}
      </p>
      <div className="flex items-center gap-2">
        <NativeSelect
          aria-label={t("size")}
          value={pageSize}
          onChange={(event) => onSize(Number(event.target.value))}
          className="w-auto [&>select]:h-8 [&>select]:text-xs"
        >
          {PAGE_SIZES.map((size) => (
            <option key={size} value={size}>
              {t("perPage", { size: String(size) })}
            </option>
          ))}
        </NativeSelect>
        <Button size="icon" aria-label={t("previous")} disabled={page <= 1} onClick={() => onPage(page - 1)}>
          <ChevronLeft />
        </Button>
        <span className="whitespace-nowrap tabular-nums">
          {t("page", { page: String(page), pages: `${pages}${more}` })}
        </span>
        <Button size="icon" aria-label={t("next")} disabled={page >= pages} onClick={() => onPage(page + 1)}>
          <ChevronRight />
        </Button>
      </div>
    </nav>
  );
}
