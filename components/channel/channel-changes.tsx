"use client";

import { useTranslations } from "next-intl";
import { useActionName } from "@/components/audit/action-name";
import { DifferenceView } from "@/components/audit/difference-view";
import { Time } from "@/components/format/time";
import type { AuditRow } from "@/lib/audit/types";

/** The audit log of one channel. */
export function ChannelChanges({ rows }: { rows: AuditRow[] }) {
  const t = useTranslations("audit.change");
  const actionName = useActionName();
  if (rows.length === 0) return <p className="px-4 py-3 text-muted-foreground">{t("none")}</p>;
  return (
    <ul className="divide-y">
      {rows.map((row) => (
        <li key={row.id} className="px-4 py-2 text-xs">
          <details>
            <summary className="cursor-pointer">
              <span className="font-medium">{actionName(row.action)}</span>
              <span className="text-muted-foreground">
                {" · "}
                {row.actorName || t("bySystem")}
                {" · "}
                <Time seconds={row.createdAt} />
              </span>
            </summary>
            <div className="mt-2">
              <DifferenceView difference={row.difference} subject={row.subject} />
            </div>
          </details>
        </li>
      ))}
    </ul>
  );
}
