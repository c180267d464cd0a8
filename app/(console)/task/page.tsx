import { ListMusic, SearchX } from "lucide-react";
import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { Suspense } from "react";
import { pagingParams } from "@/components/data-table/list-params";
import { EmptyList, ListFrame, ListHeader } from "@/components/data-table/list-parts";
import { ListBody, ListTransition } from "@/components/data-table/list-transition";
import { Pagination } from "@/components/data-table/pagination";
import { TableSkeleton } from "@/components/data-table/table-skeleton";
import { TaskFilters } from "@/components/task/task-filters";
import { TaskList } from "@/components/task/task-list";
import { jobFilterParams } from "@/components/task/task-search";
import { nowSeconds } from "@/lib/clock";
import { ROLE } from "@/lib/context";
import { lastIfBeyond, type Page } from "@/lib/page";
import { fromReplica } from "@/lib/replica/from-replica";
import { listTasks } from "@/lib/task/queries";
import { defaultTaskWindow } from "@/lib/task/schemas";
import type { Task } from "@/lib/task/types";
import { resolveTimes } from "@/lib/time-range";
import { createListLoader } from "../list-loader";
import { PageViews } from "../page-views";
import { getSignedIn } from "../signed-in";
import { getTimeZone } from "../time-zone";

const loadTaskSearch = createListLoader({ ...pagingParams, ...jobFilterParams });

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations("task"))("title") };
}

export default async function TaskPage({ searchParams }: PageProps<"/task">) {
  const [ctx, params, timeZone, t] = await Promise.all([
    getSignedIn(),
    loadTaskSearch(searchParams),
    getTimeZone(),
    getTranslations("task"),
  ]);
  const isAdmin = ctx.actor.role >= ROLE.admin;
  const window = defaultTaskWindow(nowSeconds(), timeZone);
  const { id, channel, range: _, ...search } = params;
  const { start, end } = resolveTimes(params, nowSeconds(), timeZone);
  const wanted = {
    ...search,
    scope: isAdmin ? ("all" as const) : ("own" as const),
    taskId: id,
    from: start ?? window.start,
    until: end ?? window.end,
    ...(channel === null ? {} : { channelId: channel }),
  };
  const page = lastIfBeyond(
    (asked) => fromReplica(ctx, (there) => listTasks(there, { ...wanted, page: asked })),
    search.page,
  );
  const filtered = id !== "" || search.status !== "" || search.action !== "" || channel !== null;
  return (
    <ListTransition>
      <ListHeader title={t("title")} lead={isAdmin ? t("lead") : t("leadOwn")} />
      <ListFrame>
        <TaskFilters isAdmin={isAdmin} views={<PageViews ctx={ctx} page="task" params={jobFilterParams} />} />
        <ListBody>
          <Suspense fallback={<TableSkeleton label={t("title")} columns={isAdmin ? 9 : 8} rows={params.pageSize} />}>
            <TaskRows page={page} isAdmin={isAdmin} filtered={filtered} />
          </Suspense>
        </ListBody>
      </ListFrame>
    </ListTransition>
  );
}

async function TaskRows(props: { page: Promise<Page<Task>>; isAdmin: boolean; filtered: boolean }) {
  const [{ items, total, ...paging }, t] = await Promise.all([props.page, getTranslations("task")]);
  if (total === 0 && props.filtered)
    return <EmptyList icon={<SearchX aria-hidden />} title={t("noMatchTitle")} text={t("noMatchText")} />;
  if (total === 0) return <EmptyList icon={<ListMusic aria-hidden />} title={t("emptyTitle")} text={t("emptyText")} />;
  return (
    <>
      <TaskList rows={items} isAdmin={props.isAdmin} />
      <Pagination {...paging} total={total} />
    </>
  );
}
