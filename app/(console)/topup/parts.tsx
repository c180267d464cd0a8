import { ReceiptText, SearchX } from "lucide-react";
import { getTranslations } from "next-intl/server";
import { type ReactNode, Suspense } from "react";
import { getSite } from "@/app/site";
import { EmptyList, ListFrame } from "@/components/data-table/list-parts";
import { ListBody } from "@/components/data-table/list-transition";
import { Pagination } from "@/components/data-table/pagination";
import { TableSkeleton } from "@/components/data-table/table-skeleton";
import { CallbackFilters } from "@/components/topup/callback-filters";
import { CallbackTable } from "@/components/topup/callback-table";
import { LedgerFilters } from "@/components/topup/ledger-filters";
import { LedgerSums, LedgerTable } from "@/components/topup/ledger-table";
import { MonthStatements } from "@/components/topup/month-statements";
import { OrderFilters } from "@/components/topup/order-filters";
import { OrderTable } from "@/components/topup/order-table";
import type { ServiceContext } from "@/lib/context";
import type { Page } from "@/lib/page";
import { fromReplica } from "@/lib/replica/from-replica";
import { isTimeZone } from "@/lib/statistics/schemas";
import { listStatementMonths } from "@/lib/topup/month-statement-queries";
import { listCallbacks, listOwnTopUps, listTopUps } from "@/lib/topup/queries";
import { listStatement, sumStatement } from "@/lib/topup/statement-queries";
import { getTimeZone } from "../time-zone";
import { type loadWalletSearch, toPeriod, toStatementSearch } from "./search-params";

type PartProps = { ctx: ServiceContext; search: Awaited<ReturnType<typeof loadWalletSearch>> };

/** The user's own orders, or everybody's for administrators. */
export async function OrderPart({ ctx, search, everybody }: PartProps & { everybody: boolean }) {
  const { page, pageSize, keyword } = search;
  const { status, provider } = search;
  const filters = { ...given({ status, provider }), ...toPeriod(search, await getTimeZone()) };
  const query = { page, pageSize, keyword, ...filters };
  const rows = fromReplica(ctx, (there) => (everybody ? listTopUps(there, query) : listOwnTopUps(there, query)));
  const filtered = keyword !== "" || Object.keys(filters).length > 0;
  return (
    <ListFrame>
      <OrderFilters everybody={everybody} />
      <Rows rows={rows} filtered={filtered} pageSize={pageSize} empty="orders">
        {async (items) => <OrderTable rows={items} display={(await getSite()).quotaDisplay} everybody={everybody} />}
      </Rows>
    </ListFrame>
  );
}

export async function LedgerPart({ ctx, search }: PartProps) {
  const { page, pageSize } = search;
  const [{ quotaDisplay }, zone] = await Promise.all([getSite(), getTimeZone()]);
  const timeZone = isTimeZone(zone) ? zone : "UTC";
  const filters = toStatementSearch(search, timeZone);
  return (
    <ListFrame>
      <Suspense>
        <LedgerSums sums={fromReplica(ctx, sumStatement)} display={quotaDisplay} />
      </Suspense>
      <Suspense>
        <Months ctx={ctx} />
      </Suspense>
      <LedgerFilters />
      <Rows
        rows={fromReplica(ctx, (there) => listStatement(there, { page, pageSize, ...filters }))}
        filtered={Object.keys(filters).some((name) => name !== "timeZone")}
        pageSize={pageSize}
        empty="ledger"
      >
        {async (items) => <LedgerTable rows={items} display={quotaDisplay} timeZone={timeZone} />}
      </Rows>
    </ListFrame>
  );
}

/** The statements of whole months, to download. */
async function Months({ ctx }: { ctx: ServiceContext }) {
  const [months, t] = await Promise.all([
    fromReplica(ctx, (there) => listStatementMonths(there)),
    getTranslations("statement"),
  ]);
  return (
    <section aria-label={t("monthly")} className="flex flex-wrap items-center gap-3 border-b px-4 py-3">
      <h2 dir="auto" className="font-medium">
        {t("monthly")}
      </h2>
      <MonthStatements months={months} />
    </section>
  );
}

/** Payment callbacks (root only). */
export async function CallbackPart({ ctx, search }: PartProps) {
  const { page, pageSize, keyword } = search;
  const query = { page, pageSize, keyword, ...given({ outcome: search.outcome }) };
  return (
    <ListFrame>
      <CallbackFilters />
      <Rows
        rows={fromReplica(ctx, (there) => listCallbacks(there, query))}
        filtered={keyword !== "" || search.outcome !== null}
        pageSize={pageSize}
        empty="callbacks"
      >
        {async (items) => <CallbackTable rows={items} />}
      </Rows>
    </ListFrame>
  );
}

type RowsProps<Item> = {
  rows: Promise<Page<Item>>;
  filtered: boolean;
  pageSize: number;
  empty: "orders" | "ledger" | "callbacks";
  children: (items: Item[]) => Promise<ReactNode>;
};

async function Rows<Item>(props: RowsProps<Item>) {
  const t = await getTranslations("topup");
  return (
    <ListBody>
      <Suspense fallback={<TableSkeleton label={t("title")} columns={6} rows={props.pageSize} />}>
        <LoadedRows {...props} />
      </Suspense>
    </ListBody>
  );
}

async function LoadedRows<Item>({ rows, filtered, empty, children }: RowsProps<Item>) {
  const [{ items, total, ...paging }, t] = await Promise.all([rows, getTranslations("topup")]);
  if (total === 0 && filtered)
    return <EmptyList icon={<SearchX aria-hidden />} title={t("noMatchTitle")} text={t("noMatchText")} />;
  if (total === 0)
    return <EmptyList icon={<ReceiptText aria-hidden />} title={t(`empty.${empty}`)} text={t(`emptyText.${empty}`)} />;
  return (
    <>
      {await children(items)}
      <Pagination {...paging} total={total} />
    </>
  );
}

/** Leaves out null values: the search schema does not accept them. */
function given<Values extends Record<string, unknown>>(
  values: Values,
): { [Key in keyof Values]?: NonNullable<Values[Key]> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)) as {
    [Key in keyof Values]?: NonNullable<Values[Key]>;
  };
}
