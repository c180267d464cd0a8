"use client";

import { useTranslations } from "next-intl";
import { OPERATIONS } from "@/lib/operations";
import { useChannelType } from "./channel-types";

/** What channels of the type can be asked for, and what they cannot. Nothing for an unknown type. */
export function TypeOperations({ type }: { type: number }) {
  const t = useTranslations("channelEditor");
  const nameOf = useTranslations("operation");
  const view = useChannelType(type);
  if (!view) return null;
  const served = OPERATIONS.filter((operation) => view.operations.includes(operation));
  const others = OPERATIONS.filter((operation) => !view.operations.includes(operation));
  const names = (list: typeof served) => list.map((operation) => nameOf(operation)).join(t("comma"));
  return (
    <div className="-mt-2 text-muted-foreground text-xs">
      {served.length === 0 ? t("servesNothing") : t("serves", { operations: names(served) })}
      {served.length === 0 || others.length === 0 ? null : (
        <details className="mt-0.5">
          <summary className="cursor-pointer">{t("servesNotCount", { count: others.length })}</summary>
          {names(others)}
        </details>
      )}
    </div>
  );
}
