"use client";

import { CircleCheck, LoaderCircle } from "lucide-react";
import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import { useEffect, useState } from "react";
import { formatQuota } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import type { OrderState } from "@/lib/topup/types";

const LOOK_MS = 3_000;
/** After this many polls the user is told to come back later. */
const LOOKS_MAX = 40;

/** Shown when the user returns from the payment page: the state of the order, polled until the payment is reported. */
export function PaidNotice({ order }: { order: OrderState }) {
  const t = useTranslations("topup");
  const router = useRouter();
  const display = useQuotaDisplay();
  const [looks, setLooks] = useState(0);
  const paid = order.status === "success";
  useEffect(() => {
    if (paid || looks >= LOOKS_MAX) return;
    const timer = setTimeout(() => {
      setLooks(looks + 1);
      router.refresh();
    }, LOOK_MS);
    return () => clearTimeout(timer);
  }, [paid, looks, router]);
  return (
    <p role="status" className="mb-4 flex items-center gap-2 rounded-lg border bg-surface px-4 py-3">
      {paid ? (
        <CircleCheck className="size-4 shrink-0 text-success" aria-hidden />
      ) : (
        <LoaderCircle className="size-4 shrink-0 animate-spin" aria-hidden />
      )}
      {paid
        ? t("paidDone", { amount: formatQuota(order.quota, display) })
        : looks < LOOKS_MAX
          ? t("paidWaiting", { order: order.tradeNo })
          : t("paidLater", { order: order.tradeNo })}
    </p>
  );
}
