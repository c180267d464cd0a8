"use client";

import { FileText } from "lucide-react";
import { useTranslations } from "next-intl";
import { createContext, type ReactNode, useContext } from "react";
import { CopyButton } from "@/components/form/copy-button";
import { useMeterNames } from "@/components/format/meter-names";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { useInBrowser } from "@/components/format/time";
import { Button } from "@/components/ui/button";
import { Link } from "@/components/ui/link";
import { LOG_TYPE } from "@/lib/row-status";
import type { UsageLog } from "@/lib/usage-log/columns";
import { readAttemptBars } from "./attempts";
import { readBill, readUnpriced } from "./bill";
import { BillTable, useAmount } from "./bill-table";
import { toCurl } from "./curl";
import { LogFacts } from "./log-facts";
import { PriceNotes } from "./price-notes";
import { readPriceSteps } from "./price-steps";
import { Waterfall } from "./waterfall";

const EVENT_PREFIX = "event:";
const CALLS = [2, 5];

const Captured = createContext<ReadonlySet<string>>(new Set());

/** `requestIds`: those with a capture that the user may read. */
export function CapturedRequests({ requestIds, children }: { requestIds: readonly string[]; children: ReactNode }) {
  return <Captured value={new Set(requestIds)}>{children}</Captured>;
}

/** The expanded part of a log row. */
export function LogDetail({ row, serverAddress }: { row: UsageLog; serverAddress: string }) {
  const bars = readAttemptBars(row);
  const isCall = CALLS.includes(row.type);
  return (
    <div className="grid gap-x-8 gap-y-4 @5xl:grid-cols-[minmax(0,38rem)_minmax(0,1fr)]">
      {isCall ? <Charge row={row} /> : null}
      <div className="flex min-w-0 flex-col gap-4">
        <LogFacts row={row} />
        {isCall && bars.length > 0 ? <Waterfall bars={bars} row={row} /> : null}
        {isCall ? <CopyActions row={row} serverAddress={serverAddress} /> : null}
      </div>
    </div>
  );
}

function Charge({ row }: { row: UsageLog }) {
  const t = useTranslations("log");
  const { quotaPerUnit } = useQuotaDisplay();
  const amount = useAmount();
  const bill = readBill(row);
  const unpriced = readUnpriced(row.other);
  const { labelOf } = useMeterNames();
  const prices = row.type === LOG_TYPE.consume ? readPriceSteps(row.other, quotaPerUnit) : null;
  return (
    <section aria-label={t("bill.title")} className="min-w-0">
      <h2 dir="auto" className="mb-1.5 font-medium text-muted-foreground text-xs">
        {t("bill.title")}
      </h2>
      {bill ? <BillTable bill={bill} /> : <p className="text-muted-foreground">{t("noBill")}</p>}
      {prices ? <PriceNotes prices={prices} /> : null}
      {unpriced.length > 0 ? (
        <p className="mt-1.5 text-warning text-xs">{t("unpriced", { names: unpriced.map(labelOf).join(", ") })}</p>
      ) : null}
      {bill ? (
        <p className="mt-1.5 text-muted-foreground text-xs">
          {t("roundingNote")}
          {bill.notes.map((note) => ` ${t(note)}`)}
          {bill.beyond > 0 ? ` ${t("beyondReservation", { quota: amount(bill.beyond) })}` : ""}
        </p>
      ) : null}
    </section>
  );
}

function CopyActions({ row, serverAddress }: { row: UsageLog; serverAddress: string }) {
  const t = useTranslations("log");
  const inBrowser = useInBrowser();
  const isCaptured = useContext(Captured).has(row.requestId);
  const hasLink = row.requestId !== "" && !row.requestId.startsWith(EVENT_PREFIX);
  const link = inBrowser ? `${window.location.origin}/log?request=${encodeURIComponent(row.requestId)}` : "";
  return (
    <div className="flex flex-wrap items-center gap-2">
      {hasLink ? <CopyButton text={link}>{t("copyLink")}</CopyButton> : null}
      {isCaptured ? (
        <Button asChild>
          <Link href={`/capture?request=${encodeURIComponent(row.requestId)}`}>
            <FileText aria-hidden />
            {t("openCapture")}
          </Link>
        </Button>
      ) : null}
      {row.modelName ? (
        <CopyButton text={toCurl(row, serverAddress)} title={t("curlHint")}>
          {t("copyCurl")}
        </CopyButton>
      ) : null}
    </div>
  );
}
