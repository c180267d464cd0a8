"use client";

import { TriangleAlert } from "lucide-react";
import { useTranslations } from "next-intl";
import { Link } from "@/components/ui/link";
import type { ModelCheck } from "@/lib/channel/model-check-queries";
import { priceListPath } from "@/lib/pricing/price-list-path";

const SHOWN = 8;

/** Names the models that requests would fail for, with what to do. */
export function ModelProblems({ unpriced, unserved }: ModelCheck) {
  const t = useTranslations("channelEditor");
  const nameOf = useTranslations("operation");
  const comma = t("comma");
  if (unpriced.length + unserved.length === 0) return null;
  const some = (list: string[]) =>
    list.length > SHOWN
      ? t("andMore", { names: list.slice(0, SHOWN).join(comma), count: list.length - SHOWN })
      : list.join(comma);
  return (
    <div role="status" className="flex gap-2 rounded-md border border-warning/50 px-3 py-2 text-sm">
      <TriangleAlert className="mt-0.5 size-4 shrink-0 text-warning" aria-hidden />
      <div className="flex min-w-0 flex-col gap-1">
        {unpriced.length === 0 ? null : (
          <p dir="auto" className="break-words">
            {t("unpriced", { count: unpriced.length, names: some(unpriced) })}{" "}
            <Link href={priceListPath(unpriced)} target="_blank" className="text-primary underline">
              {t("setPrice")}
            </Link>
          </p>
        )}
        {unserved.length === 0 ? null : (
          <p dir="auto" className="break-words">
            {t("unserved", {
              names: some(unserved.map(({ model, operation }) => `${model} (${nameOf(operation)})`)),
            })}
          </p>
        )}
      </div>
    </div>
  );
}
