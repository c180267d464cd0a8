import { KeyRound, SearchX } from "lucide-react";
import { getTranslations } from "next-intl/server";
import { Suspense } from "react";
import type { Column } from "@/components/data-table/column";
import { CreateButton } from "@/components/data-table/create-button";
import { DataTable } from "@/components/data-table/data-table";
import { EmptyList } from "@/components/data-table/list-parts";
import { ListPeek } from "@/components/data-table/list-peek";
import { Pagination } from "@/components/data-table/pagination";
import { PeekButton } from "@/components/data-table/peek-button";
import type { Peek } from "@/components/data-table/peek-detail";
import { MatchingRow } from "@/components/data-table/select-matching";
import { SelectAllBox, SelectBox } from "@/components/data-table/selection";
import { BudgetList } from "@/components/format/budget-list";
import { GroupBadge } from "@/components/format/group-badge";
import { formatQuota, type QuotaDisplay } from "@/components/format/quota";
import { Time } from "@/components/format/time";
import { Badge } from "@/components/ui/badge";
import { Skeleton } from "@/components/ui/skeleton";
import type { BudgetState } from "@/lib/limit/budget-queries";
import type { Page } from "@/lib/page";
import { TOKEN_STATUS } from "@/lib/row-status";
import type { TokenSearch } from "@/lib/token/schemas";
import type { Token, TokenUsage } from "@/lib/token/types";
import { findTokens } from "./actions";
import { TokenActions } from "./token-actions";
import { TokenKey } from "./token-key";
import { TokenLimits } from "./token-limits";
import { TokenStatus } from "./token-status";
import { TokenSparkline } from "./token-usage";

type TokenBudgetsProps = { id: number; budgets: Promise<Record<number, BudgetState[]>>; display: QuotaDisplay };

async function TokenBudgets({ id, budgets, display }: TokenBudgetsProps) {
  const own = (await budgets)[id];
  return own ? <BudgetList budgets={own} display={display} /> : null;
}

type TokenTableProps = {
  page: Promise<Page<Token>>;
  /** The filters. */
  search: TokenSearch;
  site: Promise<{ quotaDisplay: QuotaDisplay; serverAddress: string }>;
  filtered: boolean;
  peek: Peek;
  /** Loads the recent usage of these tokens. Not awaited before rendering: it may arrive after the rows. */
  readUsage: (ids: number[]) => Promise<Record<number, TokenUsage>>;
  /** Loads what is left of the budgets of these tokens, likewise. */
  readBudgets: (ids: number[]) => Promise<Record<number, BudgetState[]>>;
};

export async function TokenTable(props: TokenTableProps) {
  const { page, site, filtered, readUsage, readBudgets, search, peek } = props;
  const [{ items, total, ...paging }, { quotaDisplay, serverAddress }] = await Promise.all([page, site]);
  if (total === 0) return filtered ? <NoMatch /> : <NoTokens serverAddress={serverAddress} />;
  const ids = items.map(({ id }) => id);
  const late = { usage: readUsage(ids), budgets: readBudgets(ids) };
  const columns = await tokenColumns({ ids, display: quotaDisplay, serverAddress, ...late });
  const t = await getTranslations("token");
  return (
    <>
      <MatchingRow total={total} onPage={items.length} search={search} find={findTokens} />
      <p className="flex items-center gap-2 border-b px-4 py-1.5 text-muted-foreground text-xs md:hidden">
        <SelectAllBox ids={ids} label={t("selectPage")} />
        {t("selectPage")}
      </p>
      <ListPeek title={t("title")} rows={items.map(({ id, name }) => ({ id, name }))} {...peek}>
        <DataTable
          caption={t("title")}
          columns={columns}
          rows={items}
          rowKey={(token) => token.id}
          isMuted={(token) => token.status !== TOKEN_STATUS.enabled}
        />
      </ListPeek>
      <Pagination {...paging} total={total} />
    </>
  );
}

type ColumnsProps = {
  ids: number[];
  display: QuotaDisplay;
  serverAddress: string;
  usage: Promise<Record<number, TokenUsage>>;
  budgets: Promise<Record<number, BudgetState[]>>;
};

async function tokenColumns(props: ColumnsProps): Promise<Column<Token>[]> {
  const { ids, serverAddress } = props;
  const [t, common, amounts, times] = await Promise.all([
    getTranslations("token"),
    getTranslations("common"),
    amountColumns(props),
    timeColumns(),
  ]);
  return [
    {
      id: "name",
      header: t("name"),
      sort: "name",
      heading: true,
      head: <SelectAllBox ids={ids} label={t("selectPage")} />,
      className: "font-medium md:max-w-64",
      cell: (token) => (
        <span className="flex min-w-0 items-start gap-2">
          <span className="flex h-5 items-center">
            <SelectBox id={token.id} label={t("select", { name: token.name })} />
          </span>
          <span className="flex min-w-0 flex-col">
            <PeekButton id={token.id} name={token.name} className="truncate">
              {token.name}
            </PeekButton>
            <TokenKey token={toKeyRow(token)} />
          </span>
        </span>
      ),
    },
    {
      id: "status",
      header: t("status"),
      cell: (token) => (
        <span className="flex flex-wrap items-center gap-1 max-md:justify-end">
          <TokenStatus status={token.status} limited={token.modelLimitsEnabled} />
          <TokenLimits token={token} />
        </span>
      ),
    },
    { id: "group", header: t("group"), cell: (token) => <GroupBadge group={token.group} /> },
    ...amounts,
    ...times,
    {
      id: "actions",
      pinned: true,
      header: common("actions"),
      className: "md:w-px",
      cell: ({ id, name, status, keyHint }) => (
        <TokenActions token={{ id, name, status, keyHint }} serverAddress={serverAddress} />
      ),
    },
  ];
}

async function timeColumns(): Promise<Column<Token>[]> {
  const [t, common] = await Promise.all([getTranslations("token"), getTranslations("common")]);
  return [
    {
      id: "lastUsed",
      header: t("lastUsed"),
      sort: "accessedTime",
      from: "2xl",
      cell: (token) => (token.accessedTime > 0 ? <Time seconds={token.accessedTime} /> : t("neverUsed")),
    },
    {
      id: "created",
      header: t("created"),
      sort: "createdTime",
      cell: (token) => (
        <span className="flex flex-col">
          <Time seconds={token.createdTime} />
          {/* Replaces the separate column where the table is too narrow for it; the card layout on phones has that field. */}
          <span className="whitespace-nowrap text-muted-foreground text-xs max-md:hidden 2xl:hidden">
            {token.accessedTime > 0 ? (
              <>
                {t("lastUsed")} <Time seconds={token.accessedTime} />
              </>
            ) : (
              t("neverUsed")
            )}
          </span>
        </span>
      ),
    },
    {
      id: "expires",
      header: t("expires"),
      sort: "expiredTime",
      cell: (token) => (token.expiredTime === -1 ? common("never") : <Time seconds={token.expiredTime} />),
    },
  ];
}

async function amountColumns({ display, usage, budgets }: ColumnsProps): Promise<Column<Token>[]> {
  const [t, common] = await Promise.all([getTranslations("token"), getTranslations("common")]);
  return [
    {
      id: "used",
      header: t("used"),
      sort: "usedQuota",
      align: "right",
      cell: (token) => (
        <span className="flex flex-col items-end gap-1">
          {formatQuota(token.usedQuota, display)}
          <Suspense fallback={<Skeleton className="h-5.5 w-21" />}>
            <TokenSparkline id={token.id} usage={usage} display={display} />
          </Suspense>
        </span>
      ),
    },
    {
      id: "remain",
      header: t("remain"),
      sort: "remainQuota",
      align: "right",
      cell: (token) => (
        <span className="flex flex-col items-end gap-1">
          {token.unlimitedQuota ? (
            <Badge>{common("unlimited")}</Badge>
          ) : (
            <Badge hue="light-blue">{formatQuota(token.remainQuota, display)}</Badge>
          )}
          <Suspense fallback={null}>
            <TokenBudgets id={token.id} budgets={budgets} display={display} />
          </Suspense>
        </span>
      ),
    },
  ];
}

const toKeyRow = ({ id, name, keyHint }: Token) => ({ id, name, keyHint });

async function NoMatch() {
  const t = await getTranslations("token");
  return <EmptyList icon={<SearchX aria-hidden />} title={t("noMatchTitle")} text={t("noMatchText")} />;
}

async function NoTokens({ serverAddress }: { serverAddress: string }) {
  const t = await getTranslations("token");
  const sample = `curl ${serverAddress}/v1/models -H "Authorization: Bearer sk-…"`;
  return (
    <EmptyList icon={<KeyRound aria-hidden />} title={t("emptyTitle")} text={t("emptyText")}>
      <code dir="auto" className="max-w-full break-all rounded-md bg-muted px-3 py-2 text-left font-mono text-xs">
        {sample}
      </code>
      <CreateButton label={t("add")} />
    </EmptyList>
  );
}
