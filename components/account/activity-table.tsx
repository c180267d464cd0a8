"use client";

import { useTranslations } from "next-intl";
import { useActionName } from "@/components/audit/action-name";
import { DifferenceView } from "@/components/audit/difference-view";
import { ExpandButton } from "@/components/audit/expand-button";
import type { Column } from "@/components/data-table/column";
import { DataTable } from "@/components/data-table/data-table";
import { useOpened } from "@/components/data-table/use-opened";
import { Time } from "@/components/format/time";
import { Badge, hueOf } from "@/components/ui/badge";
import type { ActivityOrigin, ActivityRow } from "@/lib/user/activity-queries";

/** What was done in one's own name; each entry expands to its changes. */
export function ActivityTable({ rows }: { rows: ActivityRow[] }) {
  const t = useTranslations("activity");
  const { opened, toggle } = useOpened();
  const columns = useColumns(opened, toggle);
  return (
    <DataTable
      caption={t("title")}
      columns={columns}
      rows={rows}
      rowKey={(row) => row.id}
      detail={(row) => (opened.has(row.id) ? <DifferenceView difference={row.difference} /> : null)}
    />
  );
}

function useColumns(opened: ReadonlySet<number>, onToggle: (id: number) => void): Column<ActivityRow>[] {
  const t = useTranslations("activity");
  const audit = useTranslations("audit");
  const actionName = useActionName();
  return [
    {
      id: "time",
      header: audit("time"),
      heading: true,
      cell: (row) => (
        <span className="flex items-center gap-1.5">
          <ExpandButton id={row.id} opened={opened} onToggle={onToggle} />
          <Time seconds={row.createdAt} />
        </span>
      ),
    },
    {
      id: "action",
      header: audit("action"),
      cell: (row) => <Badge hue={hueOf(row.action.split(".")[0] ?? "")}>{actionName(row.action)}</Badge>,
    },
    {
      id: "subject",
      header: audit("subject"),
      className: "break-all font-mono text-xs",
      cell: (row) => row.subject,
    },
    { id: "session", header: t("session"), cell: (row) => <Origin origin={row.origin} /> },
    { id: "address", header: audit("address"), className: "font-mono text-xs", cell: (row) => row.clientIp || "—" },
  ];
}

const METHODS = ["password", "passkey", "github", "linuxdo", "oidc", "wechat", "telegram"] as const;

function Origin({ origin }: { origin: ActivityOrigin }) {
  const t = useTranslations("activity");
  const session = useTranslations("security.session");
  if (origin.via === "access-token") return <Badge hue="purple">{t("accessToken")}</Badge>;
  if (origin.via === "unknown") return <span className="text-muted-foreground">{t("unknown")}</span>;
  if (!origin.session) return <span className="text-muted-foreground">{t("sessionGone")}</span>;
  const { device, method, isCurrent, isOpen } = origin.session;
  const name = [device.browser, device.system].filter((part) => part !== "").join(" · ") || session("deviceUnknown");
  const known = METHODS.find((one) => one === method);
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-1">
      <span>{name}</span>
      <span className="text-muted-foreground text-xs">{known ? session(`method.${known}`) : method}</span>
      {isCurrent ? <Badge hue="green">{t("currentSession")}</Badge> : null}
      {isOpen ? null : <Badge>{t("sessionGone")}</Badge>}
    </span>
  );
}
