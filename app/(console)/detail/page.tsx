import { ChartColumn, TriangleAlert } from "lucide-react";
import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { Suspense } from "react";
import { BreakdownTable } from "@/components/dashboard/breakdown-table";
import { DashboardFilters } from "@/components/dashboard/dashboard-filters";
import { DashboardSkeleton } from "@/components/dashboard/dashboard-skeleton";
import { Freshness } from "@/components/dashboard/freshness";
import { HealthSection } from "@/components/dashboard/health-section";
import { KpiCards } from "@/components/dashboard/kpi-cards";
import { MarginSection } from "@/components/dashboard/margin-section";
import { UsageCharts } from "@/components/dashboard/usage-charts";
import { EmptyList, ListHeader } from "@/components/data-table/list-parts";
import { ListBody, ListTransition } from "@/components/data-table/list-transition";
import { MessagePage } from "@/components/shell/message-page";
import { nowSeconds } from "@/lib/clock";
import { ROLE, type ServiceContext, type UserActor } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { errorTexts } from "@/lib/i18n/error-text";
import { loadOptions } from "@/lib/option/queries";
import { readDashboard } from "@/lib/statistics/dashboard-queries";
import { HEALTH_WINDOW_SECONDS, readHealthSeries } from "@/lib/statistics/health-queries";
import { readMargin } from "@/lib/statistics/margin-queries";
import { ADMIN_DIMENSIONS } from "@/lib/statistics/schemas";
import { getSelf } from "@/lib/user/queries";
import { getSignedIn } from "../signed-in";
import { loadDashboardSearch } from "./search-params";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations("dashboard"))("title") };
}

/** Usage by model, time and cost. Administrators also see everybody's usage and channel health. */
export default async function DashboardPage({ searchParams }: PageProps<"/detail">) {
  const [ctx, t] = await Promise.all([getSignedIn(), getTranslations("dashboard")]);
  const options = await loadOptions(ctx.db);
  if (!options.DataExportEnabled) {
    return <MessagePage icon={<ChartColumn aria-hidden />} title={t("offTitle")} text={t("offText")} />;
  }
  const now = nowSeconds();
  const search = await loadDashboardSearch(searchParams, now, options.DataExportDefaultTime);
  const isAdmin = ctx.actor.role >= ROLE.admin;
  const { from, until, granularity, timeZone, isZoneKnown } = search;
  return (
    <ListTransition>
      <ListHeader
        title={t("title")}
        lead={isAdmin ? t("lead") : t("leadOwn")}
        action={<Freshness readAt={now} timeZone={timeZone} everyMinutes={options.DataExportInterval} />}
      />
      <DashboardFilters isAdmin={isAdmin} window={{ from, until, granularity, timeZone }} isZoneKnown={isZoneKnown} />
      <ListBody>
        <Suspense fallback={<DashboardSkeleton />}>
          <Figures ctx={ctx} search={search} isAdmin={isAdmin} />
        </Suspense>
      </ListBody>
    </ListTransition>
  );
}

type FiguresProps = {
  ctx: ServiceContext & { actor: UserActor };
  search: Awaited<ReturnType<typeof loadDashboardSearch>>;
  isAdmin: boolean;
};

async function Figures({ ctx, search, isAdmin }: FiguresProps) {
  const { from, until, granularity, timeZone } = search;
  const window = { from, until, granularity, timeZone };
  // An ordinary user who opens an administrator's link gets only their own data and dimensions.
  const username = isAdmin ? search.username : "";
  const dimension = isAdmin || !ADMIN_DIMENSIONS.includes(search.dimension) ? search.dimension : "model";
  // Channel health is not recorded per user, and it is kept only for this window.
  const hasHealth = isAdmin && username === "" && window.until - window.from <= HEALTH_WINDOW_SECONDS;
  try {
    const [dashboard, self, health, margin] = await Promise.all([
      readDashboard(ctx, { ...window, dimension, scope: isAdmin ? "all" : "own", username }),
      getSelf(ctx),
      hasHealth ? readHealthSeries(ctx, window) : null,
      // Costs are not summed per user.
      isAdmin && username === "" ? readMargin(ctx, { ...window, dimension: search.margin }) : null,
    ]);
    const { quota, usedQuota, requestCount } = self;
    return (
      <div className="flex flex-col gap-4">
        <KpiCards dashboard={dashboard} self={{ quota, usedQuota, requestCount }} />
        <UsageCharts dashboard={dashboard} username={username} />
        <BreakdownTable dashboard={dashboard} isAdmin={isAdmin} username={username} />
        {margin ? <MarginSection report={margin} /> : null}
        {health ? <HealthSection health={health} window={window} /> : null}
      </div>
    );
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "invalid") throw error;
    return <Refused error={error} />;
  }
}

/** Shown when the time window is too long or ends before it begins. */
async function Refused({ error }: { error: AppError }) {
  const [t, text] = await Promise.all([getTranslations("dashboard"), errorTexts()]);
  return (
    <div role="alert">
      <EmptyList
        icon={<TriangleAlert aria-hidden />}
        title={t("refusedTitle")}
        text={text(error.messageKey, error.params) ?? error.messageKey}
      />
    </div>
  );
}
