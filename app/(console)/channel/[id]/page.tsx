import { ArrowLeft, Pencil, ScrollText, Zap } from "lucide-react";
import type { Metadata, Route } from "next";
import { notFound } from "next/navigation";
import { getTranslations } from "next-intl/server";
import { createLoader, parseAsStringLiteral } from "nuqs/server";
import { Suspense } from "react";
import { AutoDisabledNotice } from "@/components/channel/auto-disabled-notice";
import { ChannelChanges } from "@/components/channel/channel-changes";
import { ChannelFacts } from "@/components/channel/channel-facts";
import { LastErrors, PastTests } from "@/components/channel/channel-log-lists";
import { ChannelStatus } from "@/components/channel/channel-status";
import { ChannelType } from "@/components/channel/channel-types";
import { HealthOverview } from "@/components/channel/health-overview";
import { KeysPanel } from "@/components/channel/keys-panel";
import { OpenCircuits } from "@/components/channel/open-circuits";
import { HEALTH_RANGES, RangeLinks } from "@/components/channel/range-links";
import { DetailSection } from "@/components/data-table/detail-section";
import { TableSkeleton } from "@/components/data-table/table-skeleton";
import { Button } from "@/components/ui/button";
import { Link } from "@/components/ui/link";
import { listOpenCircuits } from "@/lib/channel/circuit-queries";
import { listChannelKeys } from "@/lib/channel/key-queries";
import { getChannel, listChannelChanges } from "@/lib/channel/queries";
import type { Channel } from "@/lib/channel/types";
import { nowSeconds } from "@/lib/clock";
import { ROLE, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { listHealth } from "@/lib/health/queries";
import { fromReplica } from "@/lib/replica/from-replica";
import { CHANNEL_STATUS, LOG_TYPE } from "@/lib/row-status";
import { listLogs } from "@/lib/usage-log/queries";
import type { LogSearch } from "@/lib/usage-log/schemas";
import { logPart, MissingOf } from "../../log-part";
import { NoAccess } from "../../no-access";
import { getSignedIn } from "../../signed-in";

const ID = /^[1-9]\d{0,9}$/;
const ID_MAX = 2_147_483_647;
const DAY_SECONDS = 86_400;
const DAYS = { day: 1, week: 7, month: 30 } as const;
const ERROR_TYPE = 5;
const TEST_TOKEN = "model test";
const ROWS_SHOWN = 10;

const loadRange = createLoader({ range: parseAsStringLiteral(HEALTH_RANGES).withDefault("day") });

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations("channel"))("detailTitle") };
}

export default async function ChannelDetailPage({ params, searchParams }: PageProps<"/channel/[id]">) {
  const [{ id: text }, { range }, ctx, t] = await Promise.all([
    params,
    loadRange(searchParams),
    getSignedIn(),
    getTranslations("channel"),
  ]);
  if (!ID.test(text) || Number(text) > ID_MAX) notFound();
  const channel = await getChannel(ctx, Number(text)).catch(toOutcome);
  if (channel === "forbidden") return <NoAccess own={ctx.actor.role} needed={ROLE.admin} />;
  if (channel === "missing") notFound();
  const circuits = (await listOpenCircuits(ctx, [channel.id])).get(channel.id);
  const until = nowSeconds();
  const from = until - DAYS[range] * DAY_SECONDS;
  const health = logPart(() =>
    fromReplica(ctx, (there) => listHealth(there, { from, until: until + 1, channelId: channel.id })),
  );
  return (
    <div className="flex flex-col gap-4">
      <Heading channel={channel} />
      {channel.status === CHANNEL_STATUS.autoDisabled ? (
        <div className="rounded-lg border border-warning/50 bg-surface px-4 py-3">
          <AutoDisabledNotice channel={channel} />
        </div>
      ) : null}
      {circuits ? (
        <div className="rounded-lg border border-warning/50 bg-surface px-4 py-3">
          <OpenCircuits channelId={channel.id} circuits={circuits} />
        </div>
      ) : null}
      <ChannelFacts channel={channel} />
      <Suspense>
        <MissingOf parts={[health]} />
      </Suspense>
      <DetailSection title={t("health")} aside={<RangeLinks path={`/channel/${channel.id}`} range={range} />}>
        <Suspense key={range} fallback={<TableSkeleton label={t("health")} columns={5} rows={6} />}>
          <HealthOverview rows={health.result} from={from} until={until} step={range === "day" ? "hour" : "day"} />
        </Suspense>
      </DetailSection>
      <div className="grid items-start gap-4 xl:grid-cols-2">
        <Details ctx={ctx} channel={channel} />
      </div>
    </div>
  );
}

async function Heading({ channel }: { channel: Channel }) {
  const [t, common] = await Promise.all([getTranslations("channel"), getTranslations("common")]);
  const links = [
    { href: `/log?channel=${channel.id}`, label: t("openLog"), Icon: ScrollText },
    { href: `/channel?test=${channel.id}`, label: t("test"), Icon: Zap },
    { href: `/channel?edit=${channel.id}`, label: common("edit"), Icon: Pencil },
  ];
  return (
    <header className="flex flex-wrap items-start justify-between gap-3">
      <div className="min-w-0">
        <Link
          href="/channel"
          className="inline-flex items-center gap-1 rounded text-muted-foreground text-xs hover:underline"
        >
          <ArrowLeft className="size-3.5" aria-hidden />
          {t("title")}
        </Link>
        <h1 dir="auto" className="mt-1 break-words font-semibold text-lg tracking-tight">
          {channel.name}
        </h1>
        <p className="mt-1 flex flex-wrap items-center gap-1.5 text-muted-foreground text-xs">
          <span className="tabular-nums">#{channel.id}</span>
          <ChannelType type={channel.type} />
          <ChannelStatus status={channel.status} />
          <bdi>{channel.tag}</bdi>
        </p>
      </div>
      <span className="flex flex-wrap gap-2">
        {links.map(({ href, label, Icon }) => (
          <Button key={href} asChild size="md">
            <Link href={href as Route}>
              <Icon aria-hidden />
              {label}
            </Link>
          </Button>
        ))}
      </span>
    </header>
  );
}

async function Details({ ctx, channel }: { ctx: ServiceContext; channel: Channel }) {
  const { id } = channel;
  const [t, keys, changes] = await Promise.all([
    getTranslations("channel"),
    listChannelKeys(ctx, id),
    listChannelChanges(ctx, id),
  ]);
  // What is missing is said once on this page.
  const readAlso = (search: LogSearch) =>
    logPart(() => fromReplica(ctx, (there) => listLogs(there, { channelId: id, pageSize: ROWS_SHOWN, ...search })))
      .result;
  const skeleton = <TableSkeleton label={t("health")} columns={3} rows={4} />;
  return (
    <>
      <div className="flex min-w-0 flex-col gap-4">
        <DetailSection
          title={t("lastErrors")}
          aside={
            <Link
              href={`/log?channel=${id}&type=${ERROR_TYPE}`}
              className="rounded text-primary text-xs hover:underline"
            >
              {t("openInLog")}
            </Link>
          }
        >
          <Suspense fallback={skeleton}>
            <LastErrors logs={readAlso({ type: ERROR_TYPE })} />
          </Suspense>
        </DetailSection>
        <DetailSection title={t("keys")}>
          <div className="p-4">
            <KeysPanel channel={channel} keys={keys} />
          </div>
        </DetailSection>
      </div>
      <div className="flex min-w-0 flex-col gap-4">
        <DetailSection title={t("pastTests")}>
          <Suspense fallback={skeleton}>
            <PastTests logs={readAlso({ type: LOG_TYPE.consume, tokenName: TEST_TOKEN })} />
          </Suspense>
        </DetailSection>
        <DetailSection title={t("changes")}>
          <ChannelChanges rows={changes} />
        </DetailSection>
      </div>
    </>
  );
}

function toOutcome(error: unknown): "forbidden" | "missing" {
  if (error instanceof AppError && error.code === "forbidden") return "forbidden";
  if (error instanceof AppError && error.code === "not_found") return "missing";
  throw error;
}
