import { CircleCheck, Clock, TriangleAlert } from "lucide-react";
import { getTranslations } from "next-intl/server";
import { RefreshMeanwhile } from "@/components/data-table/refresh-meanwhile";
import { formatAge, formatBytes } from "@/components/format/age";
import { formatNumber } from "@/components/format/quota";
import { Time } from "@/components/format/time";
import { Badge, type Hue } from "@/components/ui/badge";
import type { LogStoreState } from "@/lib/log-store/state-queries";

const LOOKS = {
  away: { hue: "red", Icon: TriangleAlert },
  behind: { hue: "red", Icon: TriangleAlert },
  partly: { hue: "amber", Icon: TriangleAlert },
  sending: { hue: "amber", Icon: Clock },
  upToDate: { hue: "green", Icon: CircleCheck },
} as const satisfies Record<string, { hue: Hue; Icon: typeof Clock }>;

/** Whether the log store can be read, and what waits for it. Nothing is shown without one. */
export async function LogStoreCard({ state }: { state: LogStoreState | null }) {
  const t = await getTranslations("logStore");
  if (!state) return null;
  const { status, awaySince, awayServers } = state;
  const look = status === "upToDate" && awayServers.length > 0 ? "partly" : status;
  const { hue, Icon } = LOOKS[look];
  return (
    <section id="log-store" aria-labelledby="log-store-title" className="mt-4 rounded-lg border bg-surface px-5 py-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 dir="auto" id="log-store-title" className="font-semibold">
          {t("title")}
        </h2>
        <Badge hue={hue} data-testid="log-store-status">
          <Icon aria-hidden />
          {t(look)}
        </Badge>
      </div>
      <p className="mt-0.5 text-muted-foreground text-pretty text-xs">{t("text")}</p>
      {awaySince === null ? null : (
        <p className="mt-3 text-pretty text-xs">{t.rich("awayText", { since: () => <Time seconds={awaySince} /> })}</p>
      )}
      {awayServers.length === 0 ? null : (
        <p className="mt-3 text-pretty text-xs [overflow-wrap:anywhere]">
          {t("serversAway", { servers: awayServers.join(", ") })}
        </p>
      )}
      <p className={awaySince === null && awayServers.length === 0 ? "mt-3 text-xs" : "mt-1 text-xs"}>
        {state.rows === 0 ? t("empty") : <Waiting {...state} />}
      </p>
      {look === "upToDate" ? null : <RefreshMeanwhile />}
    </section>
  );
}

async function Waiting({ rows, bytes, oldestSeconds }: LogStoreState) {
  const t = await getTranslations("logStore");
  return t("waiting", {
    count: rows,
    rows: formatNumber(rows),
    size: formatBytes(bytes),
    age: await formatAge(oldestSeconds),
  });
}
