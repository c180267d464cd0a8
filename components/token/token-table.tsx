import { KeyRound, SearchX } from "lucide-react";
import { getTranslations } from "next-intl/server";
import type { Column } from "@/components/data-table/column";
import { CreateButton } from "@/components/data-table/create-button";
import { DataTable } from "@/components/data-table/data-table";
import { EmptyList } from "@/components/data-table/list-parts";
import { Pagination } from "@/components/data-table/pagination";
import { formatQuota, type QuotaDisplay } from "@/components/format/quota";
import { Time } from "@/components/format/time";
import type { Page } from "@/lib/page";
import type { Token } from "@/lib/token/types";
import { GroupBadge } from "./group-badge";
import { TokenActions, type TokenRowActions } from "./token-actions";
import { type RevealToken, TokenKey } from "./token-key";
import { TokenStatus } from "./token-status";

type TokenTableProps = {
  page: Promise<Page<Token>>;
  site: Promise<{ quotaDisplay: QuotaDisplay; serverAddress: string }>;
  filtered: boolean;
  actions: TokenRowActions & { revealToken: RevealToken };
};

export async function TokenTable({ page, site, filtered, actions }: TokenTableProps) {
  const [{ items, total, ...paging }, { quotaDisplay, serverAddress }] = await Promise.all([page, site]);
  if (total === 0) return filtered ? <NoMatch /> : <NoTokens serverAddress={serverAddress} />;
  const columns = await tokenColumns(quotaDisplay, actions);
  const t = await getTranslations("token");
  return (
    <>
      <DataTable
        caption={t("title")}
        columns={columns}
        rows={items}
        rowKey={(token) => token.id}
        isMuted={(token) => token.status !== 1}
      />
      <Pagination {...paging} total={total} />
    </>
  );
}

async function tokenColumns(display: QuotaDisplay, actions: TokenTableProps["actions"]): Promise<Column<Token>[]> {
  const [t, common] = await Promise.all([getTranslations("token"), getTranslations("common")]);
  return [
    {
      id: "name",
      header: t("name"),
      sort: "name",
      heading: true,
      className: "truncate font-medium md:max-w-56",
      cell: (token) => token.name,
    },
    { id: "key", header: t("key"), cell: (token) => <TokenKey token={token} revealToken={actions.revealToken} /> },
    {
      id: "status",
      header: t("status"),
      cell: (token) => (
        <span className="flex flex-wrap items-center gap-1 max-md:justify-end">
          <TokenStatus status={token.status} limited={token.modelLimitsEnabled} />
          <GroupBadge group={token.group} />
        </span>
      ),
    },
    {
      id: "used",
      header: t("used"),
      sort: "usedQuota",
      align: "right",
      cell: (token) => formatQuota(token.usedQuota, display),
    },
    {
      id: "remain",
      header: t("remain"),
      sort: "remainQuota",
      align: "right",
      cell: (token) => (token.unlimitedQuota ? common("unlimited") : formatQuota(token.remainQuota, display)),
    },
    {
      id: "lastUsed",
      header: t("lastUsed"),
      from: "xl",
      cell: (token) => (token.accessedTime > 0 ? <Time seconds={token.accessedTime} /> : t("neverUsed")),
    },
    {
      id: "created",
      header: t("created"),
      sort: "createdTime",
      from: "2xl",
      cell: (token) => <Time seconds={token.createdTime} />,
    },
    {
      id: "expires",
      header: t("expires"),
      sort: "expiredTime",
      cell: (token) => (token.expiredTime === -1 ? common("never") : <Time seconds={token.expiredTime} />),
    },
    {
      id: "actions",
      header: common("actions"),
      className: "md:w-px",
      cell: (token) => <TokenActions token={token} actions={actions} />,
    },
  ];
}

async function NoMatch() {
  const t = await getTranslations("token");
  return <EmptyList icon={<SearchX aria-hidden />} title={t("noMatchTitle")} text={t("noMatchText")} />;
}

async function NoTokens({ serverAddress }: { serverAddress: string }) {
  const t = await getTranslations("token");
  const sample = `curl ${serverAddress}/v1/models -H "Authorization: Bearer sk-…"`;
  return (
    <EmptyList icon={<KeyRound aria-hidden />} title={t("emptyTitle")} text={t("emptyText")}>
      <code className="max-w-full break-all rounded-md bg-muted px-3 py-2 text-left font-mono text-xs">{sample}</code>
      <CreateButton label={t("add")} />
    </EmptyList>
  );
}
