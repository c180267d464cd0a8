"use client";

import { useTranslations } from "next-intl";
import type { Column } from "@/components/data-table/column";
import { DataTable } from "@/components/data-table/data-table";
import { formatDecimal, formatNumber, formatQuota } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { Badge } from "@/components/ui/badge";
import type { ChannelShift, NamedShift, PriceEffect, Reckoned, Unpriced } from "@/lib/pricing/effect/types";
import { QuotaShift, ShiftText } from "./shift-text";

function Part({ title, children, note }: { title: string; children: React.ReactNode; note?: string | null }) {
  return (
    <section aria-label={title}>
      <h3 dir="auto" className="mb-2 font-medium">
        {title}
      </h3>
      <div className="overflow-hidden rounded-md border">{children}</div>
      {note ? <p className="mt-1 text-muted-foreground text-xs">{note}</p> : null}
    </section>
  );
}

/** The revenue of each group; where its ratio changes, the old and the new one. */
export function GroupShifts({ reckoned, groups }: { reckoned: Reckoned; groups: PriceEffect["groups"] }) {
  const t = useTranslations("priceEffect");
  const known = new Map(groups.map((group) => [group.name, group]));
  const rows = reckoned.groups.map((row) => ({ ...row, ratio: known.get(row.group) ?? null }));
  const columns: Column<(typeof rows)[number]>[] = [
    {
      id: "group",
      header: t("group"),
      heading: true,
      cell: ({ group }) => <span className="font-medium">{group}</span>,
    },
    {
      id: "ratio",
      header: t("ratio"),
      align: "right",
      cell: ({ ratio }) => (
        <ShiftText before={ratio?.before ?? null} after={ratio?.after ?? null} text={(value) => formatDecimal(value)} />
      ),
    },
    { id: "requests", header: t("requests"), align: "right", cell: (row) => formatNumber(row.requests) },
    { id: "revenue", header: t("revenue"), align: "right", cell: (row) => <QuotaShift {...row} /> },
  ];
  const retired = rows.some(({ ratio }) => ratio === null || ratio.after === null);
  return (
    <Part title={t("groups")} note={retired ? t("groupRetired") : null}>
      <DataTable caption={t("groups")} columns={columns} rows={rows} rowKey={({ group }) => group} />
    </Part>
  );
}

/** The users whose sum changes most. */
export function UserShifts({ users, count }: { users: NamedShift[]; count: number }) {
  const t = useTranslations("priceEffect");
  const columns: Column<NamedShift>[] = [
    { id: "user", header: t("user"), heading: true, cell: (row) => <Name row={row} /> },
    { id: "requests", header: t("requests"), align: "right", cell: (row) => formatNumber(row.requests) },
    { id: "spent", header: t("spent"), align: "right", cell: (row) => <QuotaShift {...row} /> },
  ];
  if (users.length === 0) return null;
  return (
    <Part title={t("users", { count })} note={count > users.length ? t("usersMost", { count: users.length }) : null}>
      <DataTable caption={t("users", { count })} columns={columns} rows={users} rowKey={({ id }) => id} />
    </Part>
  );
}

function Name({ row }: { row: NamedShift }) {
  const t = useTranslations("priceEffect");
  return (
    <span className="flex flex-wrap items-center gap-1.5">
      <span className="break-all font-medium">{row.name === "" ? `#${row.id}` : row.name}</span>
      {row.isDeleted ? <Badge>{t("deleted")}</Badge> : null}
    </span>
  );
}

/** What each channel sells, costs and leaves. */
export function ChannelShifts({ channels }: { channels: ChannelShift[] }) {
  const t = useTranslations("priceEffect");
  const columns: Column<ChannelShift>[] = [
    {
      id: "channel",
      header: t("channel"),
      heading: true,
      cell: (row) => (
        <span className="flex flex-wrap items-center gap-1.5">
          <Name row={row} />
          {row.followsPrices ? (
            <Badge hue="amber" title={t("followsHint")}>
              {t("follows")}
            </Badge>
          ) : null}
        </span>
      ),
    },
    { id: "requests", header: t("requests"), align: "right", cell: (row) => formatNumber(row.requests) },
    { id: "revenue", header: t("revenue"), align: "right", cell: (row) => <QuotaShift {...row} /> },
    { id: "cost", header: t("cost"), align: "right", cell: (row) => <Cost row={row} /> },
    { id: "margin", header: t("margin"), align: "right", cell: (row) => <Margin row={row} /> },
  ];
  if (channels.length === 0) return null;
  return (
    <Part title={t("channels")} note={channels.some((row) => row.followsPrices) ? t("followsHint") : null}>
      <DataTable caption={t("channels")} columns={columns} rows={channels} rowKey={({ id }) => id} />
    </Part>
  );
}

function Cost({ row }: { row: ChannelShift }) {
  const t = useTranslations("priceEffect");
  if (row.unknown >= row.requests) return <span className="text-muted-foreground">{t("unknown")}</span>;
  return (
    <span className="inline-flex flex-col items-end">
      <QuotaShift before={row.costBefore} after={row.costAfter} />
      {row.unknown > 0 ? (
        <span className="text-muted-foreground text-xs">{t("unknownOf", { count: String(row.unknown) })}</span>
      ) : null}
    </span>
  );
}

/** Where some cost is not known, no margin is. */
function Margin({ row }: { row: ChannelShift }) {
  const t = useTranslations("priceEffect");
  if (row.unknown > 0) return <span className="text-muted-foreground">{t("unknown")}</span>;
  return <QuotaShift before={row.before - row.costBefore} after={row.after - row.costAfter} />;
}

/** Traffic that has no price before or after the change. */
export function UnpricedTraffic({ unpriced }: { unpriced: Unpriced[] }) {
  const t = useTranslations("priceEffect");
  const display = useQuotaDisplay();
  if (unpriced.length === 0) return null;
  return (
    <section aria-label={t("unpriced")} className="rounded-md border border-warning/50 p-3">
      <h3 dir="auto" className="font-medium">
        {t("unpriced")}
      </h3>
      <ul className="mt-1 flex flex-col gap-1 text-xs">
        {unpriced.map(({ model, when, requests, charged }) => (
          <li key={`${when} ${model}`} className="break-words">
            {t(`unpricedWhen.${when}`, { model, requests: String(requests), charged: formatQuota(charged, display) })}
          </li>
        ))}
      </ul>
    </section>
  );
}
