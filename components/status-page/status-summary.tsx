import { CircleCheck, CircleHelp, CircleX, TriangleAlert } from "lucide-react";
import { getTranslations } from "next-intl/server";
import { cn } from "@/components/ui/class-names";
import type { Condition, StatusEntry } from "@/lib/status-page/types";

const LOOKS: Record<Condition, { border: string; colour: string; Icon: typeof CircleCheck }> = {
  up: { border: "border-success/50", colour: "text-success", Icon: CircleCheck },
  degraded: { border: "border-warning/50", colour: "text-warning", Icon: TriangleAlert },
  down: { border: "border-destructive/50", colour: "text-destructive", Icon: CircleX },
  unknown: { border: "", colour: "text-muted-foreground", Icon: CircleHelp },
};

/** All in one sentence: the worst of what is known. */
export async function StatusSummary({ entries, hasIncident }: { entries: StatusEntry[]; hasIncident: boolean }) {
  const t = await getTranslations("statusPage");
  const worst = worstOf(entries, hasIncident);
  const { border, colour, Icon } = LOOKS[worst];
  return (
    <p
      role="status"
      className={cn("flex items-center gap-2.5 rounded-lg border bg-surface px-4 py-3 font-medium", border)}
    >
      <Icon className={cn("size-5 shrink-0", colour)} aria-hidden />
      {t(`summary.${worst}`)}
    </p>
  );
}

function worstOf(entries: StatusEntry[], hasIncident: boolean): Condition {
  const has = (condition: Condition) => entries.some(({ now }) => now === condition);
  if (has("down")) return "down";
  if (has("degraded") || hasIncident) return "degraded";
  return has("up") ? "up" : "unknown";
}
