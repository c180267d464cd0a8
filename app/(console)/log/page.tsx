import { ScrollText, SearchX } from "lucide-react";
import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { Suspense } from "react";
import { getSite } from "@/app/site";
import { EmptyList, ListFrame, ListHeader } from "@/components/data-table/list-parts";
import { ListBody, ListTransition } from "@/components/data-table/list-transition";
import { Pagination } from "@/components/data-table/pagination";
import { TableSkeleton } from "@/components/data-table/table-skeleton";
import { LogFilters } from "@/components/log/log-filters";
import { LogSummary, LogSummarySkeleton } from "@/components/log/log-summary";
import { LogTable } from "@/components/log/log-table";
import { listLogs } from "@/lib/log/queries";
import { sumLogs } from "@/lib/log/sum-queries";
import type { UsageLog } from "@/lib/log/types";
import type { Page } from "@/lib/page";
import { getSignedIn } from "../signed-in";
import { loadLogSearch } from "./search-params";

const ADMIN = 10;

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations("log"))("title") };
}

export default async function LogPage({ searchParams }: PageProps<"/log">) {
  const [ctx, params, t] = await Promise.all([getSignedIn(), loadLogSearch(searchParams), getTranslations("log")]);
  const search = toSearch(params);
  const page = listLogs(ctx, search);
  const sum = sumLogs(ctx, search);
  const isAdmin = ctx.actor.role >= ADMIN;
  const { page: _, pageSize, ...conditions } = params;
  const filtered = Object.values(conditions).some((value) => value !== "" && value !== null && value !== 0);
  const summary = (
    <Suspense fallback={<LogSummarySkeleton />}>
      <LogSummary sum={sum} site={getSite()} />
    </Suspense>
  );
  return (
    <ListTransition>
      <ListHeader title={t("title")} lead={isAdmin ? t("lead") : t("leadOwn")} action={summary} />
      <ListFrame>
        <LogFilters isAdmin={isAdmin} />
        <ListBody>
          <Suspense fallback={<TableSkeleton label={t("title")} columns={isAdmin ? 9 : 7} rows={pageSize} />}>
            <LogRows page={page} isAdmin={isAdmin} filtered={filtered} />
          </Suspense>
        </ListBody>
      </ListFrame>
    </ListTransition>
  );
}

async function LogRows(props: { page: Promise<Page<UsageLog>>; isAdmin: boolean; filtered: boolean }) {
  const [{ items, total, ...paging }, t] = await Promise.all([props.page, getTranslations("log")]);
  if (total === 0 && props.filtered)
    return <EmptyList icon={<SearchX aria-hidden />} title={t("noMatchTitle")} text={t("noMatchText")} />;
  if (total === 0) return <EmptyList icon={<ScrollText aria-hidden />} title={t("emptyTitle")} text={t("emptyText")} />;
  return (
    <>
      <LogTable rows={items} isAdmin={props.isAdmin} />
      <Pagination {...paging} total={total} />
    </>
  );
}

function toSearch(params: Awaited<ReturnType<typeof loadLogSearch>>) {
  const { page, pageSize, start, end, token, model, group, channel, username, request, type } = params;
  return {
    page,
    pageSize,
    type,
    tokenName: token,
    modelName: model,
    group,
    username,
    requestId: request,
    ...(start === null ? {} : { startTimestamp: start }),
    ...(end === null ? {} : { endTimestamp: end }),
    ...(channel === null ? {} : { channelId: channel }),
  };
}
