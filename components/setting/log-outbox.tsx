import { CircleCheck, TriangleAlert } from "lucide-react";
import { getTranslations } from "next-intl/server";
import { Badge } from "@/components/ui/badge";

type State = { rows: number; bytes: number; oldestSeconds: number };

/** From so many seconds on the log store is behind; it is sent to every two. */
const BEHIND_SECONDS = 300;

/** What waits for the log store. Nothing is shown without one. */
export async function LogOutbox({ state }: { state: State | null }) {
  const t = await getTranslations("books");
  if (!state) return null;
  const isBehind = state.oldestSeconds > BEHIND_SECONDS;
  const Icon = isBehind ? TriangleAlert : CircleCheck;
  return (
    <section id="log-store" aria-labelledby="log-store-title" className="mt-4 rounded-lg border bg-surface px-5 py-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 id="log-store-title" className="font-semibold">
          {t("outboxTitle")}
        </h2>
        <Badge hue={isBehind ? "red" : "green"}>
          <Icon aria-hidden />
          {isBehind ? t("outboxBehind") : t("outboxUpToDate")}
        </Badge>
      </div>
      <p className="mt-0.5 text-muted-foreground text-pretty text-xs">{t("outboxText")}</p>
      <p className="mt-3 text-xs">
        {state.rows === 0
          ? t("outboxEmpty")
          : t("outboxWaiting", {
              rows: state.rows.toLocaleString("en"),
              megabytes: (state.bytes / 1_000_000).toFixed(1),
              seconds: state.oldestSeconds.toLocaleString("en"),
            })}
      </p>
    </section>
  );
}
