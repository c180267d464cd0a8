import { useTranslations } from "next-intl";
import { cn } from "@/components/ui/class-names";
import { Link } from "@/components/ui/link";

export const SETTING_TABS = ["personal", "operation", "system", "other"] as const;
export type SettingTab = (typeof SETTING_TABS)[number];

/** The tabs of the settings. The open tab is in the URL. */
export function SettingTabs({ tabs, current }: { tabs: readonly SettingTab[]; current: SettingTab }) {
  const t = useTranslations("setting");
  return (
    <nav aria-label={t("tabs")} className="overflow-x-auto">
      <ul className="flex gap-1">
        {tabs.map((tab) => (
          <li key={tab}>
            <Link
              href={`/setting?tab=${tab}`}
              aria-current={tab === current ? "page" : undefined}
              className={cn(
                "-mb-px flex h-10 items-center whitespace-nowrap border-transparent border-b-2 px-3 text-muted-foreground transition-colors hover:text-foreground",
                tab === current && "border-primary font-medium text-foreground",
              )}
            >
              {t(`tab.${tab}`)}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
