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
import { LossesSection } from "@/components/dashboard/losses-section";
import { MarginSection } from "@/components/dashboard/margin-section";
import { UsageCharts } from "@/components/dashboard/usage-charts";
import { EmptyList, ListHeader } from "@/components/data-table/list-parts";
import { ListBody, ListTransition } from "@/components/data-table/list-transition";
import { LogMissing } from "@/components/log/log-missing";
import { MessagePage } from "@/components/shell/message-page";
import { nowSeconds } from "@/lib/clock";
import { ROLE, type ServiceContext, type UserActor } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { errorTexts } from "@/lib/i18n/error-text";
import { readAvailable } from "@/lib/log-store/read-available";
import { loadOptions } from "@/lib/option/queries";
import { fromReplica } from "@/lib/replica/from-replica";
import { readDashboard } from "@/lib/statistics/dashboard-queries";
import { HEALTH_WINDOW_SECONDS, readHealthSeries } from "@/lib/statistics/health-queries";
import { listLosses, readMargin } from "@/lib/statistics/margin-queries";
import { getSelf } from "@/lib/user/queries";
import { getSignedIn } from "../signed-in";
import { toOwnSearch } from "./own-search";
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
      <DashboardFilters
        isAdmin={isAdmin}
        window={{ from, until, granularity, timeZone }}
        range={search.range}
        isZoneKnown={isZoneKnown}
      />
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
  const asked = toOwnSearch(search, isAdmin);
  const { username = "" } = asked;
  // Neither health nor cost is summed per user, and health is kept only for its window.
  const hasAll = isAdmin && username === "";
  const hasHealth = hasAll && window.until - window.from <= HEALTH_WINDOW_SECONDS;
  try {
    // Charts by minute, and the health of the hours that are not summed yet, are read from the log.
    const { result, missing } = await readAvailable(() =>
      Promise.all([
        fromReplica(ctx, (there) => readDashboard(there, asked)),
        getSelf(ctx),
        hasHealth ? fromReplica(ctx, (there) => readHealthSeries(there, window)) : null,
        hasAll ? fromReplica(ctx, (there) => readMargin(there, { ...window, dimension: search.margin })) : null,
        hasAll ? fromReplica(ctx, (there) => listLosses(there, { ...window, dimension: search.margin })) : null,
      ]),
    );
    const [dashboard, self, health, margin, losses] = result;
    const { quota, usedQuota, requestCount } = self;
    return (
      <div className="flex flex-col gap-4">
        <LogMissing missing={missing} />
        <KpiCards dashboard={dashboard} self={{ quota, usedQuota, requestCount }} />
        <UsageCharts dashboard={dashboard} username={username} hasExport />
        <BreakdownTable dashboard={dashboard} isAdmin={isAdmin} username={username} />
        {health ? <HealthSection health={health} window={window} /> : null}
        {margin ? <MarginSection report={margin} /> : null}
        {losses ? <LossesSection report={losses} window={window} canSetPrices={ctx.actor.role >= ROLE.root} /> : null}
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
