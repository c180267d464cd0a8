import { getTranslations } from "next-intl/server";
import { cn } from "@/components/ui/class-names";
import { Link } from "@/components/ui/link";

export const HEALTH_RANGES = ["day", "week", "month"] as const;
export type HealthRange = (typeof HEALTH_RANGES)[number];

/** Links to the time windows of the health figures. */
export async function RangeLinks({ path, range }: { path: string; range: HealthRange }) {
  const t = await getTranslations("channel");
  return (
    <nav aria-label={t("range")} className="inline-flex rounded-md border bg-muted p-0.5">
      {HEALTH_RANGES.map((each) => (
        <Link
          key={each}
          href={`${path}?range=${each}`}
          aria-current={each === range ? "page" : undefined}
          className={cn(
            "rounded px-2.5 py-1 font-medium text-muted-foreground text-xs hover:text-foreground",
            each === range && "bg-surface text-foreground shadow-sm",
          )}
        >
          {t(`ranges.${each}`)}
        </Link>
      ))}
    </nav>
  );
}
