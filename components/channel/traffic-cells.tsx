import { getTranslations } from "next-intl/server";
import { formatRate } from "@/components/format/quota";
import { Badge, type Hue } from "@/components/ui/badge";
import { type Grade, gradeOf, NO_TRAFFIC, type RecentTraffic, type Traffic } from "@/lib/health/traffic";

const HUES: Record<Grade, Hue> = { good: "green", degraded: "yellow", failing: "red" };
const SPANS = ["day", "hour"] as const;

type TrafficCellProps = { traffic: Promise<Map<number, RecentTraffic>>; id: number };

/** How many of the channel's requests succeeded, in the last day and hour. Streamed after the rows. */
export async function SuccessCell({ traffic, id }: TrafficCellProps) {
  const [found, t] = await Promise.all([traffic, getTranslations("channelTraffic")]);
  const own = found.get(id);
  if (!own) return <span className="text-muted-foreground text-xs">{t("none")}</span>;
  return (
    <span className="grid grid-cols-[auto_auto] items-center justify-start gap-x-1.5 gap-y-0.5 text-xs max-md:justify-end">
      {SPANS.map((span) => (
        <span key={span} className="contents">
          <span className="whitespace-nowrap text-muted-foreground">{t(span)}</span>
          <Success traffic={own[span]} />
        </span>
      ))}
    </span>
  );
}

async function Success({ traffic: { successRate, requests, failed } }: { traffic: Traffic }) {
  const t = await getTranslations("channelTraffic");
  if (requests === 0) return <span className="text-left text-muted-foreground">{t("none")}</span>;
  if (successRate === null) {
    const text = failed > 0 ? t("fewFailed", { count: requests, failed }) : t("fewOf", { count: requests });
    return <span className={`text-left ${failed > 0 ? "text-warning" : "text-muted-foreground"}`}>{text}</span>;
  }
  const grade = gradeOf(successRate);
  return (
    <span className="inline-flex items-center gap-1 whitespace-nowrap tabular-nums">
      <Badge hue={HUES[grade]}>{`${formatRate(successRate)} ${t(`grade.${grade}`)}`}</Badge>
      <span className="text-muted-foreground max-[1840px]:md:sr-only">{t("requests", { count: requests })}</span>
    </span>
  );
}

/** 95th percentiles of the channel's successful requests, in the last day and hour. */
export async function SpeedCell({ traffic, id }: TrafficCellProps) {
  const [found, t] = await Promise.all([traffic, getTranslations("channelTraffic")]);
  const own = found.get(id) ?? { day: NO_TRAFFIC, hour: NO_TRAFFIC };
  if (own.day.p95Ms === null) return <span className="text-muted-foreground text-xs">—</span>;
  return (
    <span className="flex flex-col gap-0.5 text-xs tabular-nums">
      {SPANS.map((span) => (
        <span key={span} className="whitespace-nowrap leading-5">
          <span className="sr-only">{`${t(span)}: `}</span>
          <Speed traffic={own[span]} />
        </span>
      ))}
    </span>
  );
}

async function Speed({ traffic: { p95Ms, firstTokenP95Ms } }: { traffic: Traffic }) {
  const common = await getTranslations("common");
  const seconds = (ms: number | null) => (ms === null ? "—" : common("seconds", { value: (ms / 1_000).toFixed(1) }));
  return p95Ms === null ? "—" : `${seconds(firstTokenP95Ms)} / ${seconds(p95Ms)}`;
}
