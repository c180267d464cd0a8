import { Image as ImageIcon, Info, SearchX } from "lucide-react";
import type { Metadata } from "next";
import { useTranslations } from "next-intl";
import { getTranslations } from "next-intl/server";
import { Suspense } from "react";
import { getSite } from "@/app/site";
import { pagingParams } from "@/components/data-table/list-params";
import { EmptyList, ListFrame, ListHeader } from "@/components/data-table/list-parts";
import { ListBody, ListTransition } from "@/components/data-table/list-transition";
import { Pagination } from "@/components/data-table/pagination";
import { TableSkeleton } from "@/components/data-table/table-skeleton";
import { DrawingFilters } from "@/components/drawing/drawing-filters";
import { DrawingList } from "@/components/drawing/drawing-list";
import { drawingViewParams, jobFilterParams } from "@/components/task/task-search";
import { nowSeconds } from "@/lib/clock";
import { ROLE } from "@/lib/context";
import { listDrawings } from "@/lib/drawing/queries";
import { defaultDrawingWindow } from "@/lib/drawing/schemas";
import type { Drawing } from "@/lib/drawing/types";
import { lastIfBeyond, type Page } from "@/lib/page";
import { fromReplica } from "@/lib/replica/from-replica";
import { resolveTimes } from "@/lib/time-range";
import { createListLoader } from "../list-loader";
import { PageViews } from "../page-views";
import { getSignedIn } from "../signed-in";
import { getTimeZone } from "../time-zone";

const loadDrawingSearch = createListLoader({ ...pagingParams, ...jobFilterParams, ...drawingViewParams });

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations("drawing"))("title") };
}

export default async function DrawingPage({ searchParams }: PageProps<"/midjourney">) {
  const [ctx, params, site, timeZone, t] = await Promise.all([
    getSignedIn(),
    loadDrawingSearch(searchParams),
    getSite(),
    getTimeZone(),
    getTranslations("drawing"),
  ]);
  const isAdmin = ctx.actor.role >= ROLE.admin;
  const window = defaultDrawingWindow(nowSeconds());
  const search = toSearch({ ...params, ...resolveTimes(params, nowSeconds(), timeZone) }, isAdmin, window);
  const page = lastIfBeyond(
    (asked) => fromReplica(ctx, (there) => listDrawings(there, { ...search, page: asked })),
    search.page,
  );
  const { id, status, action, channel } = params;
  const filtered = id !== "" || status !== "" || action !== "" || channel !== null;
  return (
    <ListTransition>
      <ListHeader title={t("title")} lead={isAdmin ? t("lead") : t("leadOwn")} />
      {isAdmin && !site.drawingCallbacks ? <CallbackBanner /> : null}
      <ListFrame>
        <DrawingFilters isAdmin={isAdmin} views={<PageViews ctx={ctx} page="midjourney" params={jobFilterParams} />} />
        <ListBody>
          <Suspense fallback={<TableSkeleton label={t("title")} columns={isAdmin ? 9 : 7} rows={params.pageSize} />}>
            <DrawingRows page={page} isAdmin={isAdmin} view={params.view} filtered={filtered} />
          </Suspense>
        </ListBody>
      </ListFrame>
    </ListTransition>
  );
}

type DrawingRowsProps = {
  page: Promise<Page<Drawing>>;
  isAdmin: boolean;
  view: "table" | "gallery";
  filtered: boolean;
};

async function DrawingRows({ page, isAdmin, view, filtered }: DrawingRowsProps) {
  const [{ items, total, ...paging }, t] = await Promise.all([page, getTranslations("drawing")]);
  if (total === 0 && filtered)
    return <EmptyList icon={<SearchX aria-hidden />} title={t("noMatchTitle")} text={t("noMatchText")} />;
  if (total === 0) return <EmptyList icon={<ImageIcon aria-hidden />} title={t("emptyTitle")} text={t("emptyText")} />;
  return (
    <>
      <DrawingList rows={items} isAdmin={isAdmin} view={view} />
      <Pagination {...paging} total={total} />
    </>
  );
}

/** The URL has seconds, drawing tasks have milliseconds. The end includes its whole second. */
function toSearch(
  params: Awaited<ReturnType<typeof loadDrawingSearch>>,
  isAdmin: boolean,
  window: { start: number; end: number },
) {
  const { page, pageSize, id, status, action, channel, start, end } = params;
  return {
    page,
    pageSize,
    scope: isAdmin ? ("all" as const) : ("own" as const),
    mjId: id,
    status,
    action,
    from: (start ?? window.start) * 1000,
    until: (end ?? window.end) * 1000 + 999,
    ...(channel === null ? {} : { channelId: channel }),
  };
}

/** Warns administrators that without callbacks the progress of upstream tasks is not reported (B107). */
function CallbackBanner() {
  const t = useTranslations("drawing");
  return (
    <div role="note" className="mb-4 flex items-start gap-2.5 rounded-lg border bg-surface px-4 py-3">
      <Info className="mt-0.5 size-4 shrink-0 text-warning" aria-hidden />
      <p>{t("callbacksOff")}</p>
    </div>
  );
}
