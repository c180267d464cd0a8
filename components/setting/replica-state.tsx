import { CircleCheck, TriangleAlert } from "lucide-react";
import { getTranslations } from "next-intl/server";
import { RefreshMeanwhile } from "@/components/data-table/refresh-meanwhile";
import { formatAge, formatBytes } from "@/components/format/age";
import { Badge } from "@/components/ui/badge";
import type { ReplicaView } from "@/lib/replica/replica-database";

/** The read replica of this console: whether it is read, and how far it is behind. */
export async function ReplicaState({ replica }: { replica: ReplicaView }) {
  const t = await getTranslations("replica");
  const isRead = replica.status === "fresh";
  const Icon = isRead ? CircleCheck : TriangleAlert;
  const { lagMs, lagBytes, limitSeconds, reads } = replica;
  return (
    <section id="replica" aria-labelledby="replica-title" className="mt-4 rounded-lg border bg-surface px-5 py-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 dir="auto" id="replica-title" className="font-semibold">
          {t("title")}
        </h2>
        <Badge hue={isRead ? "green" : "red"}>
          <Icon aria-hidden />
          {t(replica.status)}
        </Badge>
      </div>
      <p className="mt-0.5 text-muted-foreground text-pretty text-xs">{t("text", { limit: String(limitSeconds) })}</p>
      <p className="mt-3 text-xs tabular-nums">
        {lagMs === null || lagBytes === null
          ? t("lagUnknown")
          : t("lag", { age: await formatAge(lagMs / 1_000), size: formatBytes(lagBytes) })}
      </p>
      <p className="mt-1 text-xs tabular-nums">
        {t("reads", { replica: String(reads.replica), primary: String(reads.primary) })}
      </p>
      {isRead ? null : <RefreshMeanwhile />}
    </section>
  );
}
