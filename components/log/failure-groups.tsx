"use client";

import { useTranslations } from "next-intl";
import type { Column } from "@/components/data-table/column";
import { DataTable } from "@/components/data-table/data-table";
import { ModelChip } from "@/components/format/model-chip";
import { formatNumber } from "@/components/format/quota";
import { Time } from "@/components/format/time";
import { Badge } from "@/components/ui/badge";
import { Link } from "@/components/ui/link";
import { priceListPath } from "@/lib/pricing/price-list-path";
import type { FailureGroup } from "@/lib/usage-log/failure-types";
import { useFailureHref } from "./use-failure-href";

type FailureGroupsProps = { groups: FailureGroup[]; isAdmin: boolean; canSetPrices: boolean; isPart: boolean };

/** Failed requests by cause. The cause links to its rows. */
export function FailureGroups({ groups, isAdmin, canSetPrices, isPart }: FailureGroupsProps) {
  const t = useTranslations("log.failure");
  return (
    <>
      <DataTable caption={t("groups")} columns={useColumns(isAdmin, canSetPrices)} rows={groups} rowKey={keyOf} />
      {isPart ? <p className="border-t px-4 py-3 text-muted-foreground text-xs">{t("part")}</p> : null}
    </>
  );
}

/** The code of requests for a model without a price. */
const NO_PRICE = "model_price_error";

function keyOf({ code, cause, status, model, channelId = 0 }: FailureGroup): string {
  return JSON.stringify([code, cause, status, model, channelId]);
}

function useColumns(isAdmin: boolean, canSetPrices: boolean): Column<FailureGroup>[] {
  const t = useTranslations("log.failure");
  const log = useTranslations("log");
  const ofAdmins: Column<FailureGroup>[] = [
    { id: "channel", header: log("channel"), className: "md:min-w-28", cell: (group) => <ChannelCell group={group} /> },
    { id: "users", header: t("users"), align: "right", cell: ({ users = 0 }) => formatNumber(users) },
  ];
  return [
    {
      id: "cause",
      header: t("cause"),
      heading: true,
      className: "md:w-2/5",
      cell: (group) => <Cause group={group} canSetPrices={canSetPrices} />,
    },
    {
      id: "model",
      header: log("model"),
      className: "md:min-w-28",
      cell: ({ model }) => (model === "" ? "—" : <ModelChip model={model} className="max-w-full" />),
    },
    ...(isAdmin ? ofAdmins.slice(0, 1) : []),
    {
      id: "count",
      header: t("requests"),
      align: "right",
      className: "font-medium",
      cell: ({ count }) => formatNumber(count),
    },
    ...(isAdmin ? ofAdmins.slice(1) : []),
    { id: "first", header: t("first"), from: "xl", cell: ({ firstAt }) => <Time seconds={firstAt} /> },
    { id: "last", header: t("last"), cell: ({ lastAt }) => <Time seconds={lastAt} /> },
  ];
}

function Cause({ group, canSetPrices }: { group: FailureGroup; canSetPrices: boolean }) {
  const t = useTranslations("log.failure");
  const hrefOf = useFailureHref();
  const { code, cause, status, model, channelId } = group;
  const href = hrefOf({
    status,
    ...(code === "" ? {} : { code }),
    ...(cause === "" ? {} : { cause }),
    ...(model === "" ? {} : { model }),
    ...(channelId ? { channel: channelId } : {}),
  });
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
      <Badge hue="red">{String(status)}</Badge>
      {code === "" ? null : <Badge hue="red">{code}</Badge>}
      <Link href={href} className="min-w-0 rounded text-primary wrap-anywhere hover:underline">
        {cause || code || t("noText")}
      </Link>
      {canSetPrices && code === NO_PRICE && model !== "" ? (
        <Link href={priceListPath([model])} className="whitespace-nowrap rounded text-primary text-xs underline">
          {t("setPrice")}
        </Link>
      ) : null}
    </span>
  );
}

function ChannelCell({ group: { channelId = 0, channelName = "" } }: { group: FailureGroup }) {
  const t = useTranslations("log.failure");
  if (channelId === 0) return <span className="text-muted-foreground">{t("noChannel")}</span>;
  return (
    <Link href={`/channel/${channelId}`} className="rounded wrap-anywhere hover:underline">
      {`#${channelId} ${channelName}`.trim()}
    </Link>
  );
}
