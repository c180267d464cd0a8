import type { Metadata } from "next";
import { cookies } from "next/headers";
import { notFound } from "next/navigation";
import { getTranslations } from "next-intl/server";
import { createLoader, parseAsStringLiteral } from "nuqs/server";
import { Suspense } from "react";
import { CaptureKeys } from "@/components/capture/capture-keys";
import { ChannelChanges } from "@/components/channel/channel-changes";
import { HEALTH_RANGES, RangeLinks } from "@/components/channel/range-links";
import { UsageCharts } from "@/components/dashboard/usage-charts";
import { DetailSection } from "@/components/data-table/detail-section";
import { TableSkeleton } from "@/components/data-table/table-skeleton";
import { TIME_ZONE_COOKIE } from "@/components/shell/cookies";
import { MonthStatements } from "@/components/topup/month-statements";
import { UserFacts } from "@/components/user/user-facts";
import { UserHeading } from "@/components/user/user-heading";
import { UserLedger } from "@/components/user/user-ledger";
import { UserSessions } from "@/components/user/user-sessions";
import { UserTokens } from "@/components/user/user-tokens";
import { listUserCaptureKeys } from "@/lib/capture/queries";
import { nowSeconds } from "@/lib/clock";
import { ROLE, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { readUserBudgets } from "@/lib/limit/budget-queries";
import { fromReplica } from "@/lib/replica/from-replica";
import { readDashboard } from "@/lib/statistics/dashboard-queries";
import { isTimeZone } from "@/lib/statistics/schemas";
import { listStatementMonths } from "@/lib/topup/month-statement-queries";
import { listLedger } from "@/lib/topup/queries";
import { getUserDetail, type UserDetail } from "@/lib/user/detail-queries";
import { NoAccess } from "../../no-access";
import { getSignedIn } from "../../signed-in";

const ID = /^[1-9]\d{0,9}$/;
const ID_MAX = 2_147_483_647;
const DAY_SECONDS = 86_400;
const DAYS = { day: 1, week: 7, month: 30 } as const;
const ROWS_SHOWN = 10;

const loadRange = createLoader({ range: parseAsStringLiteral(HEALTH_RANGES).withDefault("week") });

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations("user"))("detailTitle") };
}

export default async function UserDetailPage({ params, searchParams }: PageProps<"/user/[id]">) {
  const [{ id: text }, { range }, ctx] = await Promise.all([params, loadRange(searchParams), getSignedIn()]);
  if (!ID.test(text) || Number(text) > ID_MAX) notFound();
  const detail = await getUserDetail(ctx, Number(text)).catch(toOutcome);
  if (detail === "forbidden")
    return <NoAccess own={ctx.actor.role} needed={ctx.actor.role < ROLE.admin ? ROLE.admin : ROLE.root} />;
  if (detail === "missing") notFound();
  const budgets = await readUserBudgets(ctx, detail.user.id);
  return (
    <div className="flex flex-col gap-4">
      <UserHeading user={detail.user} />
      <UserFacts user={detail.user} inviter={detail.inviter} budgets={budgets} />
      <Suspense key={range} fallback={<TableSkeleton label={detail.user.username} columns={5} rows={6} />}>
        <Usage ctx={ctx} username={detail.user.username} id={detail.user.id} range={range} />
      </Suspense>
      <Sections ctx={ctx} detail={detail} />
    </div>
  );
}

type UsageProps = { ctx: ServiceContext; username: string; id: number; range: keyof typeof DAYS };

async function Usage({ ctx, username, id, range }: UsageProps) {
  const [jar, t] = await Promise.all([cookies(), getTranslations("user")]);
  const zone = decodeURIComponent(jar.get(TIME_ZONE_COOKIE)?.value ?? "");
  const until = nowSeconds() + 1;
  const dashboard = await fromReplica(ctx, (there) =>
    readDashboard(there, {
      scope: "all",
      username,
      from: until - DAYS[range] * DAY_SECONDS,
      until,
      granularity: range === "day" ? "hour" : "day",
      timeZone: isTimeZone(zone) ? zone : "UTC",
      dimension: "model",
    }),
  );
  return (
    <section aria-label={t("usage")} className="flex flex-col gap-3">
      <header className="flex flex-wrap items-center justify-between gap-2">
        <h2 dir="auto" className="font-medium">
          {t("usage")}
        </h2>
        <RangeLinks path={`/user/${id}`} range={range} />
      </header>
      <UsageCharts dashboard={dashboard} username={username} />
    </section>
  );
}

async function Sections({ ctx, detail }: { ctx: ServiceContext; detail: UserDetail }) {
  const { user, tokens, tokenCount, sessions, changes } = detail;
  const [t, ledger, months, monthly, captureKeys, capture] = await Promise.all([
    getTranslations("user"),
    listLedger(ctx, { userId: user.id, pageSize: ROWS_SHOWN }),
    listStatementMonths(ctx, user.id),
    getTranslations("statement"),
    listUserCaptureKeys(ctx, user.id),
    getTranslations("capture"),
  ]);
  return (
    <div className="grid items-start gap-4 xl:grid-cols-2">
      <div className="flex min-w-0 flex-col gap-4">
        <DetailSection title={t("ledger")}>
          <UserLedger movements={ledger.items} total={ledger.total} />
        </DetailSection>
        <DetailSection title={monthly("monthly")}>
          <div className="px-4 py-3">
            <MonthStatements months={months} userId={user.id} />
          </div>
        </DetailSection>
        <DetailSection title={t("changes")}>
          <ChannelChanges rows={changes} />
        </DetailSection>
      </div>
      <div className="flex min-w-0 flex-col gap-4">
        <DetailSection title={t("tokens")}>
          <UserTokens tokens={tokens} total={tokenCount} username={user.username} />
        </DetailSection>
        {captureKeys ? (
          <DetailSection title={capture("ofUser")}>
            <div className="px-4 py-3">
              <p className="mb-2 text-muted-foreground text-xs">{capture("ofUserLead")}</p>
              <CaptureKeys keys={captureKeys} isOther={ctx.actor.type !== "user" || user.id !== ctx.actor.id} />
            </div>
          </DetailSection>
        ) : null}
        <UserSessions userId={user.id} username={user.username} sessions={sessions} />
      </div>
    </div>
  );
}

function toOutcome(error: unknown): "forbidden" | "missing" {
  if (error instanceof AppError && error.code === "forbidden") return "forbidden";
  if (error instanceof AppError && error.code === "not_found") return "missing";
  throw error;
}
