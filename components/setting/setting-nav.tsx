import { useTranslations } from "next-intl";
import { cn } from "@/components/ui/class-names";
import { Link } from "@/components/ui/link";
import { BOOKS_PAGE, OPTION_TABS, type OptionTab, pagesOf, type SettingPageId } from "@/lib/option/cards";
import { KeepCurrentInView } from "./keep-current-in-view";

export const SETTING_TABS = ["personal", ...OPTION_TABS] as const;
export type SettingTab = (typeof SETTING_TABS)[number];

type SettingNavProps = { tabs: readonly SettingTab[]; tab: SettingTab; page: SettingPageId | null; className?: string };

/** The tabs of the settings and the pages of each. */
export function SettingNav({ tabs, tab, page, className }: SettingNavProps) {
  const t = useTranslations("setting");
  return (
    <nav aria-label={t("tabs")} className={className}>
      <KeepCurrentInView page={page} />
      <ul className="flex flex-col gap-4">
        {tabs.map((one) => (
          <li key={one}>
            <NavLink href={`/setting?tab=${one}`} isCurrent={one === tab && page === null} isTab>
              {t(`tab.${one}`)}
            </NavLink>
            {one === "personal" ? null : <Pages tab={one} current={one === tab ? page : null} />}
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Pages({ tab, current }: { tab: OptionTab; current: SettingPageId | null }) {
  const titleOf = usePageTitle();
  return (
    <ul className="lg:border-l">
      {pagesOf(tab).map(({ id }) => (
        <li key={id} className="lg:-ml-px">
          <NavLink href={`/setting?tab=${tab}&page=${id}`} isCurrent={id === current}>
            {titleOf(id)}
          </NavLink>
        </li>
      ))}
    </ul>
  );
}

type NavLinkProps = { href: string; isCurrent: boolean; isTab?: boolean; children: string };

function NavLink({ href, isCurrent, isTab, children }: NavLinkProps) {
  return (
    <Link
      href={href as "/setting"}
      aria-current={isCurrent ? "page" : undefined}
      className={cn(
        "flex items-center rounded-md px-3 py-2.5 text-muted-foreground transition-colors hover:bg-muted hover:text-foreground lg:py-1",
        isTab
          ? "font-semibold text-foreground text-xs max-lg:pb-1"
          : "max-lg:rounded-none max-lg:border-b max-lg:text-foreground lg:rounded-l-none lg:border-l-2 lg:border-l-transparent",
        isCurrent && "bg-accent font-medium text-primary lg:border-l-primary",
      )}
    >
      {children}
    </Link>
  );
}

/** The title of a settings page: its own, else that of its card. */
export function usePageTitle(): (id: SettingPageId) => string {
  const t = useTranslations("setting");
  return (id) => {
    const own = `page.${id}`;
    if (t.has(own as "page.books")) return t(own as "page.books");
    return id === BOOKS_PAGE ? id : t(`card.${id}.title`);
  };
}
