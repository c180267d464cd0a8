"use client";

import { ChevronRight, ChevronsLeft } from "lucide-react";
import { useTranslations } from "next-intl";
import { parseAsInteger, useQueryState } from "nuqs";
import { useListTransition } from "@/components/data-table/list-transition";
import { Button } from "@/components/ui/button";

/** Keyset pagination: only "older" and "back to newest". */
export function AuditPages({ next, isFirst }: { next: number | null; isFirst: boolean }) {
  const t = useTranslations("audit");
  const { startTransition } = useListTransition();
  const options = { shallow: false, history: "push", startTransition } as const;
  const [, setBefore] = useQueryState("before", parseAsInteger.withOptions(options));
  return (
    <nav aria-label={t("pages")} className="flex justify-end gap-2 border-t px-4 py-2.5">
      <Button disabled={isFirst} onClick={() => setBefore(null)}>
        <ChevronsLeft aria-hidden />
        {t("newest")}
      </Button>
      <Button disabled={next === null} onClick={() => setBefore(next)}>
        {t("older")}
        <ChevronRight aria-hidden />
      </Button>
    </nav>
  );
}
