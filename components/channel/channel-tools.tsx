"use client";

import { useSearchParams } from "next/navigation";
import { useTranslations } from "next-intl";
import type { ColumnChoice } from "@/components/data-table/column-choice";
import { ColumnMenu } from "@/components/data-table/column-menu";
import { ExportMenu } from "@/components/data-table/export-menu";
import { filterQuery } from "@/components/data-table/list-params";
import { channelFilterParams } from "./channel-search";

/** Export of the matching channels, and the column menu. */
export function ChannelTools({ choice }: { choice: ColumnChoice }) {
  const t = useTranslations("channel");
  const traffic = useTranslations("channelTraffic");
  const query = filterQuery(useSearchParams(), channelFilterParams);
  const columns = [
    { id: "groups", label: t("groups"), from: "2xl" as const },
    { id: "type", label: t("type") },
    { id: "status", label: t("status") },
    { id: "health", label: traffic("successRate") },
    { id: "speed", label: traffic("speed") },
    { id: "responseTime", label: traffic("lastTest") },
    { id: "used", label: t("usedAndLeft") },
    { id: "priority", label: t("priority") },
    { id: "weight", label: t("weight") },
  ];
  return (
    <>
      <ExportMenu path="/channel/export" query={query} />
      <ColumnMenu list="channels" columns={columns} choice={choice} />
    </>
  );
}
