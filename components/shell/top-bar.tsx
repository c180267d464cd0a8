import { useTranslations } from "next-intl";
import type { ReactNode } from "react";
import { SessionGuard } from "@/components/session/session-guard";
import type { SignInOver } from "@/components/session/sign-in-dialog";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { Link } from "@/components/ui/link";
import { type Account, AccountMenu } from "./account-menu";
import { Brand } from "./brand";
import { consolePath, type ShellMenu } from "./menu";
import { PhoneMenu } from "./phone-menu";
import { LanguageMenu, ThemeMenu } from "./preference-menus";
import { type SiteLink, SiteLinks } from "./site-links";
import { StoredAccount } from "./stored-account";

type TopBarProps = {
  site: {
    systemName: string;
    logo: string;
    mode: "demoMode" | "selfUseMode" | null;
    docsLink: string;
    canRegister: boolean;
    flags: Pick<ShellMenu, "dashboard" | "drawing" | "task" | "capture">;
    chats: readonly string[];
    statusPage: boolean;
  };
  account: Account | null;
  /** The groups of the menu that the user has closed. */
  closedGroups: ShellMenu["closedGroups"];
  /** The bell of the notice centre and other console-only elements. */
  notices?: ReactNode;
  /** For signing in again over the page. */
  signIn: SignInOver;
};

/** The bar above every page: brand, site links, preferences and account menu (B126, B127). */
export function TopBar({ site, account, closedGroups, notices, signIn }: TopBarProps) {
  const t = useTranslations("shell");
  const menu = account ? { role: account.role, ...site.flags, chats: site.chats, closedGroups } : null;
  const links: SiteLink[] = [
    { label: "home", href: "/" },
    { label: "console", href: consolePath(site.flags) },
    { label: "pricing", href: "/pricing" },
    ...(site.statusPage ? [{ label: "statusPage", href: "/status" } as const] : []),
    { label: "about", href: "/about" },
    ...(site.docsLink ? [{ label: "docs", href: site.docsLink } as const] : []),
  ];
  return (
    <header className="sticky top-0 z-40 flex h-14 items-center gap-1 border-b bg-surface px-3 sm:px-4">
      <a
        href="#main"
        className="sr-only rounded-md bg-primary px-3 py-2 text-primary-foreground focus:not-sr-only focus:absolute focus:top-2 focus:left-2 focus:z-50 focus:px-3 focus:py-2"
      >
        {t("skip")}
      </a>
      <SessionGuard user={account} signIn={signIn} />
      <StoredAccount account={account} />
      <PhoneMenu menu={menu} links={links} name={site.systemName} />
      <Link href="/" className="min-w-0 rounded-md md:mr-4">
        <Brand name={site.systemName} logo={site.logo}>
          {site.mode ? <Badge hue={site.mode === "demoMode" ? "blue" : "purple"}>{t(site.mode)}</Badge> : null}
        </Brand>
      </Link>
      <SiteLinks links={links} />
      <span className="mr-auto" />
      {notices}
      <LanguageMenu />
      <ThemeMenu />
      {account ? (
        <AccountMenu account={account} />
      ) : (
        <span className="ml-1 flex gap-1.5">
          {site.canRegister ? (
            <Button asChild className="max-sm:hidden">
              <Link href="/register">{t("signUp")}</Link>
            </Button>
          ) : null}
          <Button asChild variant="primary">
            <Link href="/login">{t("signIn")}</Link>
          </Button>
        </span>
      )}
    </header>
  );
}
