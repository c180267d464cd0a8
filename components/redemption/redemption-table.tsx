import { getTranslations } from "next-intl/server";
import type { Column } from "@/components/data-table/column";
import { DataTable } from "@/components/data-table/data-table";
import { ListPeek } from "@/components/data-table/list-peek";
import { PeekButton } from "@/components/data-table/peek-button";
import type { Peek } from "@/components/data-table/peek-detail";
import { SelectAllBox, SelectBox } from "@/components/data-table/selection";
import { formatQuota, type QuotaDisplay } from "@/components/format/quota";
import { Time } from "@/components/format/time";
import { Link } from "@/components/ui/link";
import { REDEMPTION_STATUS } from "@/lib/row-status";
import { RedemptionActions } from "./redemption-actions";
import { RedemptionKey } from "./redemption-key";
import type { RedemptionRow } from "./redemption-row";
import { RedemptionStatus } from "./redemption-status";

type RedemptionTableProps = {
  rows: RedemptionRow[];
  display: QuotaDisplay;
  peek: Peek;
};

export async function RedemptionTable({ rows, display, peek }: RedemptionTableProps) {
  const t = await getTranslations("redemption");
  const ids = rows.map(({ id }) => id);
  const columns = await redemptionColumns(ids, display);
  return (
    <>
      <p className="flex items-center gap-2 border-b px-4 py-1.5 text-muted-foreground text-xs md:hidden">
        <SelectAllBox ids={ids} label={t("selectPage")} />
        {t("selectPage")}
      </p>
      <ListPeek title={t("title")} rows={rows.map(({ id, name }) => ({ id, name }))} {...peek}>
        <DataTable
          caption={t("title")}
          columns={columns}
          rows={rows}
          rowKey={(code) => code.id}
          isMuted={(code) => code.status !== REDEMPTION_STATUS.unused || code.isExpired}
        />
      </ListPeek>
    </>
  );
}

async function redemptionColumns(ids: number[], display: QuotaDisplay): Promise<Column<RedemptionRow>[]> {
  const [t, common, facts] = await Promise.all([
    getTranslations("redemption"),
    getTranslations("common"),
    factColumns(display),
  ]);
  return [
    {
      id: "id",
      header: t("id"),
      sort: "id",
      head: <SelectAllBox ids={ids} label={t("selectPage")} />,
      className: "md:w-px",
      cell: ({ id, name }) => (
        <span className="flex items-center gap-2 text-muted-foreground tabular-nums">
          <SelectBox id={id} label={t("select", { name, id: String(id) })} />
          <PeekButton id={id} name={name}>
            {String(id)}
          </PeekButton>
        </span>
      ),
    },
    {
      id: "name",
      header: t("name"),
      sort: "name",
      heading: true,
      className: "truncate font-medium md:max-w-56",
      cell: (code) => code.name,
    },
    {
      id: "key",
      header: t("key"),
      cell: ({ id, hint }) => <RedemptionKey code={{ id, hint }} />,
    },
    ...facts,
    {
      id: "actions",
      pinned: true,
      header: common("actions"),
      className: "md:w-px",
      cell: ({ id, name, status }) => <RedemptionActions code={{ id, name, status }} />,
    },
  ];
}

async function factColumns(display: QuotaDisplay): Promise<Column<RedemptionRow>[]> {
  const t = await getTranslations("redemption");
  return [
    {
      id: "status",
      header: t("status"),
      sort: "status",
      cell: ({ status, isExpired }) => <RedemptionStatus status={status} isExpired={isExpired} />,
    },
    {
      id: "quota",
      header: t("quota"),
      sort: "quota",
      align: "right",
      cell: (code) => formatQuota(code.quota, display),
    },
    {
      id: "created",
      header: t("created"),
      sort: "createdTime",
      cell: (code) => <Time seconds={code.createdTime} />,
    },
    {
      id: "expires",
      header: t("expires"),
      from: "xl",
      cell: ({ expiredTime }) => (expiredTime > 0 ? <Time seconds={expiredTime} /> : t("never")),
    },
    {
      id: "redeemer",
      header: t("redeemer"),
      cell: ({ usedUserId }) =>
        usedUserId === 0 ? (
          t("none")
        ) : (
          <Link href={`/user/${usedUserId}`} className="rounded text-primary hover:underline">
            {String(usedUserId)}
          </Link>
        ),
    },
    {
      id: "redeemed",
      header: t("redeemed"),
      sort: "redeemedTime",
      from: "xl",
      cell: (code) => (code.redeemedTime > 0 ? <Time seconds={code.redeemedTime} /> : "—"),
    },
  ];
}
