"use client";

import { ChevronRight, RotateCcw } from "lucide-react";
import { useTranslations } from "next-intl";
import type { Column } from "@/components/data-table/column";
import { DataTable } from "@/components/data-table/data-table";
import { RowPeek } from "@/components/data-table/row-peek";
import { useOpened } from "@/components/data-table/use-opened";
import { usePeek } from "@/components/data-table/use-peek";
import { useRunAction } from "@/components/form/use-run-action";
import { Time } from "@/components/format/time";
import { Badge, type Hue } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { cn } from "@/components/ui/class-names";
import { CodeBlock } from "@/components/ui/code-block";
import { toast } from "@/components/ui/toast";
import type { PaymentCallback } from "@/lib/topup/types";
import { redriveCallback } from "./actions";
import { useCallbackReason } from "./callback-reason";
import { CALLBACK_OUTCOMES } from "./topup-search";

type Outcome = (typeof CALLBACK_OUTCOMES)[number];

const HUES: Record<Outcome, Hue> = { credited: "green", ignored: "grey", refused: "red", failed: "orange" };
const INFO_MS = 3_000;

/** Callbacks of payment providers with their outcome; a payment that was not credited can be retried. */
export function CallbackTable({ rows }: { rows: PaymentCallback[] }) {
  const t = useTranslations("topup");
  const { opened, toggle } = useOpened();
  const columns = useColumns(opened, toggle);
  const { peek, open, move } = usePeek();
  const shown = rows.find(({ id }) => String(id) === peek);
  return (
    <>
      <DataTable
        caption={t("tabCallbacks")}
        columns={columns}
        rows={rows}
        rowKey={(row) => row.id}
        onRow={(row) => open(String(row.id))}
        detail={(row) => (opened.has(row.id) ? <Payload row={row} /> : null)}
      />
      <RowPeek
        peek={shown ? String(shown.id) : null}
        keys={rows.map(({ id }) => String(id))}
        title={shown?.tradeNo || t("tabCallbacks")}
        onMove={move}
        focusRow={(key) => document.getElementById(`callback-${key}`)?.focus()}
      >
        {shown ? <Payload row={shown} /> : null}
      </RowPeek>
    </>
  );
}

function Payload({ row }: { row: PaymentCallback }) {
  return <CodeBlock>{JSON.stringify(row.payload, null, 2)}</CodeBlock>;
}

function useColumns(opened: ReadonlySet<number>, onToggle: (id: number) => void): Column<PaymentCallback>[] {
  const t = useTranslations("topup");
  const common = useTranslations("common");
  const reasonText = useCallbackReason();
  const providers: Record<string, string> = { epay: t("providerEpay"), stripe: t("providerStripe") };
  return [
    {
      id: "order",
      header: t("order"),
      heading: true,
      cell: (row) => (
        <span className="flex items-center gap-1.5">
          <Button
            id={`callback-${row.id}`}
            variant="ghost"
            size="icon"
            aria-expanded={opened.has(row.id)}
            aria-label={t("callbackDetail", { id: String(row.id) })}
            onClick={() => onToggle(row.id)}
            className="size-7"
          >
            <ChevronRight className={cn("transition-transform", opened.has(row.id) && "rotate-90")} />
          </Button>
          <code dir="auto" className="break-all font-mono text-xs">
            {row.tradeNo || "—"}
          </code>
        </span>
      ),
    },
    { id: "provider", header: t("provider"), cell: (row) => providers[row.provider] ?? row.provider },
    { id: "outcome", header: t("outcome"), cell: (row) => <OutcomeBadge outcome={row.outcome} /> },
    { id: "reason", header: t("reason"), className: "md:max-w-64", cell: (row) => reasonText(row.reason) || "—" },
    { id: "attempts", header: t("attempts"), align: "right", cell: (row) => row.attempts },
    { id: "address", header: t("address"), from: "xl", cell: (row) => row.clientIp || "—" },
    { id: "time", header: t("time"), cell: (row) => <Time seconds={row.createdAt} /> },
    {
      id: "actions",
      pinned: true,
      header: common("actions"),
      className: "md:w-px",
      cell: (row) => (canRedrive(row) ? <RedriveButton row={row} /> : null),
    },
  ];
}

function OutcomeBadge({ outcome }: { outcome: string }) {
  const t = useTranslations("topup");
  const known = CALLBACK_OUTCOMES.find((candidate) => candidate === outcome);
  return known ? <Badge hue={HUES[known]}>{t(`outcomes.${known}`)}</Badge> : <Badge>{outcome}</Badge>;
}

/** Only a verified payment report says what to credit. */
const canRedrive = (row: PaymentCallback) => row.outcome !== "credited" && "paid" in row.payload;

function RedriveButton({ row }: { row: PaymentCallback }) {
  const t = useTranslations("topup");
  const reasonText = useCallbackReason();
  const { pending, run } = useRunAction();
  const onRedrive = () =>
    run(
      () => redriveCallback({ id: row.id }),
      ({ outcome, reason }) => {
        const text = t("redriven", { outcome: t(`outcomes.${outcome}`), reason: reasonText(reason) });
        if (outcome === "credited") toast.success(text, { duration: INFO_MS });
        else toast.info(text, { duration: INFO_MS });
      },
    );
  return (
    <Button pending={pending} onClick={onRedrive} aria-label={t("redriveOf", { order: row.tradeNo })}>
      {pending ? null : <RotateCcw aria-hidden />}
      {t("redrive")}
    </Button>
  );
}
