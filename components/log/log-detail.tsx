"use client";

import { ArrowRight } from "lucide-react";
import { useTranslations } from "next-intl";
import type { ReactNode } from "react";
import { CopyButton } from "@/components/form/copy-button";
import { GroupBadge } from "@/components/token/group-badge";
import { Badge } from "@/components/ui/badge";
import type { UsageLog } from "@/lib/log/types";
import { readActualModel, readAttempts, readBill } from "./bill";
import { BillTable } from "./bill-table";

/** What an opened row of the usage log shows: how the charge came about, and where the request went. */
export function LogDetail({ row }: { row: UsageLog }) {
  const t = useTranslations("log");
  const bill = readBill(row);
  return (
    <div className="grid gap-x-8 gap-y-4 xl:grid-cols-[minmax(0,34rem)_1fr]">
      <section aria-label={t("bill")}>
        <h2 className="mb-1.5 font-medium text-muted-foreground text-xs">{t("bill")}</h2>
        {bill ? <BillTable bill={bill} /> : <p className="text-muted-foreground">{t("noBill")}</p>}
        {bill ? (
          <p className="mt-1.5 text-muted-foreground text-xs">
            {t("roundingNote")}
            {bill.estimated ? ` ${t("estimated")}` : ""}
          </p>
        ) : null}
      </section>
      <Facts row={row} />
    </div>
  );
}

function Facts({ row }: { row: UsageLog }) {
  const t = useTranslations("log");
  const attempts = readAttempts(row.other);
  const actualModel = readActualModel(row.other);
  const facts: { label: string; value: ReactNode }[] = [
    ...(attempts.length > 0 ? [{ label: t("retryChain"), value: <Attempts channels={attempts} /> }] : []),
    ...(actualModel ? [{ label: t("requestedModel"), value: row.modelName }] : []),
    ...(actualModel ? [{ label: t("actualModel"), value: actualModel }] : []),
    ...(row.group ? [{ label: t("group"), value: <GroupBadge group={row.group} /> }] : []),
    ...(row.requestId ? [{ label: t("requestId"), value: <RequestId id={row.requestId} /> }] : []),
    ...(row.clientIp ? [{ label: t("clientIp"), value: row.clientIp }] : []),
    { label: t("content"), value: row.content || t("noContent") },
  ];
  return (
    <dl className="grid min-w-0 grid-cols-[auto_1fr] items-center gap-x-4 gap-y-1.5 self-start text-left">
      {facts.map((fact) => (
        <div key={fact.label} className="contents">
          <dt className="whitespace-nowrap text-muted-foreground text-xs">{fact.label}</dt>
          <dd className="min-w-0 break-words">{fact.value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Attempts({ channels }: { channels: string[] }) {
  return (
    <span className="flex flex-wrap items-center gap-1" data-testid="attempts">
      {channels.map((channel, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same channel may be tried twice; the order never changes
        <span key={index} className="flex items-center gap-1">
          {index > 0 ? <ArrowRight className="size-3 text-muted-foreground" aria-hidden /> : null}
          <Badge hue={index === channels.length - 1 ? "blue" : "grey"}>#{channel}</Badge>
        </span>
      ))}
    </span>
  );
}

function RequestId({ id }: { id: string }) {
  const common = useTranslations("common");
  return (
    <span className="flex min-w-0 items-center gap-1">
      <code className="break-all font-mono text-xs">{id}</code>
      <CopyButton
        variant="ghost"
        size="icon"
        className="size-6 text-muted-foreground"
        aria-label={common("copy")}
        text={id}
      />
    </span>
  );
}
