"use client";

import {
  BellRing,
  BookOpen,
  ChartColumn,
  FileClock,
  FlaskConical,
  Image as ImageIcon,
  KeyRound,
  ListMusic,
  type LucideIcon,
  MessageCircle,
  Network,
  ScrollText,
  Settings,
  Ticket,
  Users,
  WalletCards,
} from "lucide-react";
import type { Route } from "next";
import { usePathname } from "next/navigation";
import { useTranslations } from "next-intl";
import { Hint } from "@/components/overlay/hint";
import { cn } from "@/components/ui/class-names";
import { Link } from "@/components/ui/link";
import { ChatMenu } from "./chat-menu";
import { isCurrent, type MenuEntry, menuEntries, type ShellMenu } from "./menu";
import { currentClasses, entryClasses } from "./navigation-style";

const ICONS: Record<MenuEntry["label"], LucideIcon> = {
  playground: FlaskConical,
  channel: Network,
  chat: MessageCircle,
  token: KeyRound,
  detail: ChartColumn,
  redemption: Ticket,
  topup: WalletCards,
  user: Users,
  log: ScrollText,
  midjourney: ImageIcon,
  task: ListMusic,
  setting: Settings,
  alert: BellRing,
  audit: FileClock,
  apiDocs: BookOpen,
};

type NavigationProps = { menu: ShellMenu; collapsed?: boolean; onNavigate?: () => void };

/** The console links. Entries for administrators are hidden from other users; the pages check again. */
export function Navigation({ menu, collapsed = false, onNavigate }: NavigationProps) {
  const t = useTranslations("shell");
  return (
    <nav aria-label={t("navigation")} className="px-2 py-3">
      <ul className="flex flex-col gap-0.5">
        {menuEntries(menu).map((entry) => (
          <li key={entry.path}>
            {entry.label === "chat" && menu.chats.length > 0 ? (
              <ChatMenu names={menu.chats} collapsed={collapsed} {...(onNavigate ? { onNavigate } : {})} />
            ) : (
              <NavigationLink entry={entry} collapsed={collapsed} {...(onNavigate ? { onNavigate } : {})} />
            )}
          </li>
        ))}
      </ul>
    </nav>
  );
}

type NavigationLinkProps = { entry: MenuEntry; collapsed: boolean; onNavigate?: () => void };

function NavigationLink({ entry, collapsed, onNavigate }: NavigationLinkProps) {
  const t = useTranslations("shell");
  const current = isCurrent(usePathname(), entry.path);
  const Icon = ICONS[entry.label];
  const link = (
    <Link
      href={entry.path as Route}
      aria-current={current ? "page" : undefined}
      {...(onNavigate ? { onClick: onNavigate } : {})}
      className={cn(entryClasses, current && currentClasses)}
    >
      <Icon aria-hidden />
      <span className={collapsed ? "sr-only" : "truncate"}>{t(entry.label)}</span>
    </Link>
  );
  return collapsed ? <Hint label={t(entry.label)}>{link}</Hint> : link;
}
