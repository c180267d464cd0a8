"use client";

import { LogOut, Settings, WalletCards } from "lucide-react";
import type { Route } from "next";
import { useTranslations } from "next-intl";
import { useRunAction } from "@/components/form/use-run-action";
import { Menu } from "@/components/overlay/menu";
import { hueOf } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { DropdownMenuItem, DropdownMenuSeparator } from "@/components/ui/dropdown-menu";
import { Link } from "@/components/ui/link";
import { signOut } from "./actions";
import { Avatar } from "./avatar";
import { useRoleName } from "./role-name";

export type Account = {
  id: number;
  username: string;
  displayName: string;
  role: number;
  status: number;
  group: string;
  /** Already formatted for display. */
  balance: string;
};

export function AccountMenu({ account }: { account: Account }) {
  const t = useTranslations("shell");
  const roleName = useRoleName();
  const { pending, run } = useRunAction();
  const name = account.displayName || account.username;
  const trigger = (
    <Button variant="ghost" size="md" aria-label={t("account", { name })} pending={pending} className="gap-2 px-1.5">
      <Avatar name={account.username} hue={hueOf(account.username)} />
      <span dir="auto" className="hidden max-w-32 truncate font-normal sm:inline">
        {name}
      </span>
    </Button>
  );
  return (
    <Menu trigger={trigger}>
      <dl className="grid min-w-52 grid-cols-[auto_1fr] gap-x-4 gap-y-1 px-2 py-1.5 text-xs [&_dd]:text-right [&_dt]:text-muted-foreground">
        <div className="col-span-2 pb-1">
          <dt className="sr-only">{roleName(account.role)}</dt>
          <dd dir="auto" className="text-left! font-medium text-sm">
            {name}
          </dd>
          <dd dir="auto" className="text-left! text-muted-foreground">
            {roleName(account.role)}
          </dd>
        </div>
        <dt>{t("balance")}</dt>
        <dd dir="auto" className="tabular-nums">
          {account.balance}
        </dd>
        <dt>{t("group")}</dt>
        <dd dir="auto">{account.group}</dd>
      </dl>
      <DropdownMenuSeparator />
      <DropdownMenuItem asChild>
        <Link href={"/topup" as Route}>
          <WalletCards aria-hidden />
          {t("topup")}
        </Link>
      </DropdownMenuItem>
      <DropdownMenuItem asChild>
        <Link href={"/setting" as Route}>
          <Settings aria-hidden />
          {t("setting")}
        </Link>
      </DropdownMenuItem>
      <DropdownMenuSeparator />
      <DropdownMenuItem onSelect={() => run(signOut)}>
        <LogOut aria-hidden />
        {t("signOut")}
      </DropdownMenuItem>
    </Menu>
  );
}
