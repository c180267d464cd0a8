import Link from "next/link";
import { useTranslations } from "next-intl";
import type { ReactNode } from "react";
import { Button } from "@/components/ui/button";
import { type Account, AccountMenu } from "./account-menu";
import { Brand } from "./brand";
import { PhoneMenu } from "./phone-menu";
import { LanguageMenu, ThemeMenu } from "./preference-menus";
import { StoredAccount } from "./stored-account";

type TopBarProps = {
  systemName: string;
  account: Account | null;
  /** The bell of the notice centre. */
  notices?: ReactNode;
  setLocale: (locale: string) => Promise<void>;
  signOut: () => Promise<void>;
};

export function TopBar({ systemName, account, notices, setLocale, signOut }: TopBarProps) {
  const t = useTranslations("shell");
  return (
    <header className="sticky top-0 z-40 flex h-14 items-center gap-1 border-b bg-surface px-3 sm:px-4">
      <a
        href="#main"
        className="sr-only rounded-md bg-primary px-3 py-2 text-primary-foreground focus:not-sr-only focus:absolute focus:top-2 focus:left-2 focus:z-50 focus:px-3 focus:py-2"
      >
        {t("skip")}
      </a>
      <StoredAccount account={account} />
      {account ? <PhoneMenu role={account.role} name={systemName} /> : null}
      <Link href="/" className="mr-auto min-w-0 rounded-md">
        <Brand name={systemName} />
      </Link>
      {notices}
      <LanguageMenu setLocale={setLocale} />
      <ThemeMenu />
      {account ? (
        <AccountMenu account={account} signOut={signOut} />
      ) : (
        <Button asChild variant="primary" className="ml-1">
          <Link href="/login">{t("signIn")}</Link>
        </Button>
      )}
    </header>
  );
}
