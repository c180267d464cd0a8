"use client";

import { useTranslations } from "next-intl";
import type { Column } from "@/components/data-table/column";
import { DataTable } from "@/components/data-table/data-table";
import { formatNumber } from "@/components/format/quota";
import { Time } from "@/components/format/time";
import type { UnknownKeyAddress } from "@/lib/usage-log/unknown-key-queries";

/** Where requests with unknown API keys came from; they have no rows in the log. */
export function UnknownKeys({ addresses }: { addresses: UnknownKeyAddress[] }) {
  const t = useTranslations("log.failure");
  const columns: Column<UnknownKeyAddress>[] = [
    {
      id: "address",
      header: t("address"),
      heading: true,
      cell: ({ address }) => <span className="font-mono">{address || t("otherAddresses")}</span>,
    },
    { id: "count", header: t("requests"), align: "right", cell: ({ count }) => formatNumber(count) },
    { id: "last", header: t("lastHour"), cell: ({ lastHour }) => <Time seconds={lastHour} /> },
  ];
  return (
    <section aria-labelledby="unknown-keys" className="border-t">
      <h2 dir="auto" id="unknown-keys" className="px-4 pt-4 font-medium">
        {t("unknownKeys")}
      </h2>
      <p className="px-4 pt-1 pb-2 text-muted-foreground text-xs">{t("unknownKeysLead")}</p>
      <DataTable caption={t("unknownKeys")} columns={columns} rows={addresses} rowKey={({ address }) => address} />
    </section>
  );
}
