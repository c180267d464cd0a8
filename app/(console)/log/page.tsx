import { CircleCheck, Info, ScrollText, SearchX } from "lucide-react";
import type { Metadata } from "next";
import { cookies } from "next/headers";
import { getTranslations } from "next-intl/server";
import { Suspense } from "react";
import { getSite } from "@/app/site";
import { COLUMN_KEYS, type ColumnChoice, readColumnChoice } from "@/components/data-table/column-choice";
import { EmptyList, ListFrame, ListHeader } from "@/components/data-table/list-parts";
import { ListBody, ListTransition } from "@/components/data-table/list-transition";
import { TableSkeleton } from "@/components/data-table/table-skeleton";
import { FailureGroups } from "@/components/log/failure-groups";
import { LiveLog } from "@/components/log/live-context";
import { LogBars } from "@/components/log/log-bars";
import { CapturedRequests } from "@/components/log/log-detail";
import { LogFilters } from "@/components/log/log-filters";
import { LogRows } from "@/components/log/log-rows";
import { logFilterParams, peekKey, readPeekKey } from "@/components/log/log-search";
import { LogSummary, LogSummarySkeleton } from "@/components/log/log-summary";
import { LogToolbar } from "@/components/log/log-toolbar";
import { LogViews } from "@/components/log/log-views";
import { RequestFinder } from "@/components/log/request-finder";
import { UnknownKeys } from "@/components/log/unknown-keys";
import { listCapturedRequests } from "@/lib/capture/queries";
import { nowSeconds } from "@/lib/clock";
import { ROLE, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { readAvailable } from "@/lib/log-store/read-available";
import { lastIfBeyond, type Page } from "@/lib/page";
import { fromReplica } from "@/lib/replica/from-replica";
import { countByTime } from "@/lib/usage-log/bar-queries";
import type { UsageLog } from "@/lib/usage-log/columns";
import { listFailureGroups } from "@/lib/usage-log/failure-queries";
import type { FailureGroups as FailureGroupsOf, LogBars as LogBarsOf } from "@/lib/usage-log/failure-types";
import { findLog, listLogs } from "@/lib/usage-log/queries";
import type { LogSearch } from "@/lib/usage-log/schemas";
import { sumLogs } from "@/lib/usage-log/sum-queries";
import { listUnknownKeys, type UnknownKeyAddress } from "@/lib/usage-log/unknown-key-queries";
import { defaultLogWindow, type LogWindow } from "@/lib/usage-log/window";
import { logPart, MissingOf } from "../log-part";
import { PageViews } from "../page-views";
import { getSignedIn } from "../signed-in";
import { getTimeZone } from "../time-zone";
import { loadLogSearch, toLogSearch } from "./search-params";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations("log"))("title") };
}

export default async function LogPage({ searchParams }: PageProps<"/log">) {
  const [ctx, params, jar, timeZone, t] = await Promise.all([
    getSignedIn(),
    loadLogSearch(searchParams),
    cookies(),
    getTimeZone(),
    getTranslations("log"),
  ]);
  const choice = readColumnChoice(jar.get(COLUMN_KEYS.logs)?.value);
  const isAdmin = ctx.actor.role >= ROLE.admin;
  const window = defaultLogWindow(nowSeconds(), ctx.actor.role);
  const { page: number, pageSize, peek, view, ...filters } = params;
  const search = toLogSearch(filters, window, timeZone);
  const rows = (asked: number) => fromReplica(ctx, (there) => listLogs(there, { ...search, page: asked, pageSize }));
  const bars = logPart(() => fromReplica(ctx, (there) => countByTime(there, search)).catch(nothingToSum));
  const sum = logPart(() => fromReplica(ctx, (there) => sumLogs(there, search)).catch(nothingToSum));
  const isOfFailures = view === "failures";
  const found = isOfFailures ? logPart(() => fromReplica(ctx, (there) => listFailureGroups(there, search))) : null;
  const page = isOfFailures ? null : logPart(() => lastIfBeyond(rows, number));
  const views = <PageViews ctx={ctx} page="log" params={logFilterParams} columns={choice} />;
  const isFiltered = Object.values(filters).some((value) => ![undefined, "", null, 0, false].includes(value));
  const summary = (
    <Suspense fallback={<LogSummarySkeleton />}>
      <LogSummary sum={sum.result} site={getSite()} />
    </Suspense>
  );
  const isClamped = !isAdmin && (search.startTimestamp ?? window.start) < window.start;
  return (
    <ListTransition>
      <ListHeader title={t("title")} lead={isAdmin ? t("lead") : t("leadOwn")} action={summary} />
      <RequestFinder />
      <LogViews current={view} />
      {isClamped ? (
        <p
          role="note"
          className="mb-3 flex items-center gap-2 rounded-md border bg-accent px-3 py-2 text-accent-foreground"
        >
          <Info className="size-4 shrink-0" aria-hidden />
          {t("clamped")}
        </p>
      ) : null}
      <Suspense>
        <MissingOf parts={[bars, sum, ...(found ? [found] : []), ...(page ? [page] : [])]} />
      </Suspense>
      <LiveLog>
        <ListFrame>
          <LogFilters isAdmin={isAdmin} actions={<LogToolbar isAdmin={isAdmin} views={views} choice={choice} />} />
          <Suspense fallback={<BarsSkeleton />}>
            <Bars bars={bars.result} />
          </Suspense>
          <ListBody>
            <Suspense fallback={<TableSkeleton label={t("title")} columns={isAdmin ? 9 : 7} rows={pageSize} />}>
              {found ? (
                <Failures
                  found={found.result}
                  unknownKeys={isAdmin ? listUnknownKeys(ctx, timeOf(search, window)) : null}
                  role={ctx.actor.role}
                />
              ) : null}
              {page ? (
                <Rows
                  ctx={ctx}
                  peek={peek}
                  page={page.result}
                  isAdmin={isAdmin}
                  isFiltered={isFiltered}
                  request={filters.request}
                  choice={choice}
                />
              ) : null}
            </Suspense>
          </ListBody>
        </ListFrame>
      </LiveLog>
    </ListTransition>
  );
}

/** Invalid filters are reported in place of the rows, so the sums only have to be left out. */
function nothingToSum(error: unknown): null {
  if (error instanceof AppError && error.code === "invalid") return null;
  throw error;
}

async function Bars({ bars }: { bars: Promise<LogBarsOf | null> }) {
  const found = await bars;
  return found && found.bars.length > 1 ? <LogBars key={`${found.start}:${found.end}`} bars={found} /> : null;
}

function BarsSkeleton() {
  return <div className="h-41 border-b" aria-hidden />;
}

type FailuresProps = {
  found: Promise<FailureGroupsOf>;
  /** Null = the user is no administrator. */
  unknownKeys: Promise<UnknownKeyAddress[]> | null;
  role: number;
};

async function Failures({ found, unknownKeys, role }: FailuresProps) {
  const [{ groups, isPart }, addresses, t] = await Promise.all([found, unknownKeys, getTranslations("log.failure")]);
  const may = { isAdmin: role >= ROLE.admin, canSetPrices: role >= ROLE.root };
  return (
    <>
      {groups.length > 0 ? (
        <FailureGroups groups={groups} isPart={isPart} {...may} />
      ) : (
        <EmptyList icon={<CircleCheck aria-hidden />} title={t("noneTitle")} text={t("noneText")} />
      )}
      {addresses && addresses.length > 0 ? <UnknownKeys addresses={addresses} /> : null}
    </>
  );
}

function timeOf({ startTimestamp, endTimestamp }: LogSearch, { start, end }: LogWindow) {
  return { from: startTimestamp || start, until: endTimestamp || end };
}

type RowsProps = {
  ctx: ServiceContext;
  peek: string | null;
  page: Promise<Page<UsageLog>>;
  isAdmin: boolean;
  isFiltered: boolean;
  request: string;
  choice: ColumnChoice;
};

async function Rows({ ctx, peek, page, isAdmin, isFiltered, request, choice }: RowsProps) {
  const [found, site, t] = await Promise.all([page, getSite(), getTranslations("log")]);
  const stray = await findStray(ctx, found.items, peek);
  const empty = isFiltered ? (
    <EmptyList icon={<SearchX aria-hidden />} title={t("noMatchTitle")} text={t("noMatchText")} />
  ) : (
    <EmptyList icon={<ScrollText aria-hidden />} title={t("emptyTitle")} text={t("emptyText")} />
  );
  const shown = stray ? [...found.items, stray] : found.items;
  const captured = await listCapturedRequests(
    ctx,
    shown.map(({ requestId }) => requestId),
  );
  return (
    <CapturedRequests requestIds={captured}>
      <LogRows
        key={request}
        page={found}
        isAdmin={isAdmin}
        isOpen={request !== ""}
        stray={stray}
        choice={choice}
        serverAddress={site.serverAddress}
        empty={empty}
      />
    </CapturedRequests>
  );
}

/** The row that the URL opens, if the page has it no longer: new rows move it to another page. */
async function findStray(
  ctx: ServiceContext,
  rows: readonly UsageLog[],
  peek: string | null,
): Promise<UsageLog | null> {
  const place = readPeekKey(peek);
  return place === null || rows.some((row) => peekKey(row) === peek)
    ? null
    : (await readAvailable(() => findLog(ctx, place))).result;
}
