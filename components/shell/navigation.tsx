"use client";

import {
  BellRing,
  BookOpen,
  ChartColumn,
  ChevronDown,
  FileClock,
  FlaskConical,
  Image as ImageIcon,
  Inbox,
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
import { useId, useState } from "react";
import { Hint } from "@/components/overlay/hint";
import { cn } from "@/components/ui/class-names";
import { Link } from "@/components/ui/link";
import { ChatMenu, currentClasses, entryClasses, headingClasses } from "./chat-menu";
import { CLOSED_GROUPS_COOKIE, isCurrent, type MenuEntry, type MenuGroup, menuGroups, type ShellMenu } from "./menu";

const ONE_YEAR = 31_536_000;

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
  capture: Inbox,
  alert: BellRing,
  audit: FileClock,
  apiDocs: BookOpen,
};

type NavigationProps = { menu: ShellMenu; collapsed?: boolean; onNavigate?: () => void };

/** The console links in groups. Entries for administrators are hidden from other users; the pages check again. */
export function Navigation({ menu, collapsed = false, onNavigate }: NavigationProps) {
  const t = useTranslations("shell");
  const [closed, setClosed] = useState<readonly MenuGroup[]>(menu.closedGroups);
  const onToggle = (group: MenuGroup) => {
    const next = closed.includes(group) ? closed.filter((other) => other !== group) : [...closed, group];
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every supported browser
    document.cookie = `${CLOSED_GROUPS_COOKIE}=${next.join(".")}; path=/; max-age=${ONE_YEAR}; samesite=lax`;
    setClosed(next);
  };
  return (
    <nav aria-label={t("navigation")} className="flex flex-col gap-3 px-2 py-3">
      {menuGroups(menu).map(({ group, entries }) => (
        <Group
          key={group}
          group={group}
          entries={entries}
          chats={menu.chats}
          collapsed={collapsed}
          isOpen={collapsed || !closed.includes(group)}
          onToggle={() => onToggle(group)}
          onNavigate={onNavigate}
        />
      ))}
    </nav>
  );
}

type GroupProps = {
  group: MenuGroup;
  entries: MenuEntry[];
  chats: readonly string[];
  collapsed: boolean;
  isOpen: boolean;
  onToggle: () => void;
  onNavigate: (() => void) | undefined;
};

/** A heading with its entries. A closed group shows only the entry of the current page. */
function Group({ group, entries, chats, collapsed, isOpen, onToggle, onNavigate }: GroupProps) {
  const t = useTranslations("shell");
  const path = usePathname();
  const id = useId();
  const shown = isOpen ? entries : entries.filter((entry) => isCurrent(path, entry.path));
  const navigate = onNavigate ? { onNavigate } : {};
  return (
    <div>
      {collapsed ? null : (
        <button type="button" aria-expanded={isOpen} aria-controls={id} onClick={onToggle} className={headingClasses}>
          <span dir="auto" className="flex-1 truncate text-left">
            {t(`groups.${group}`)}
          </span>
          <ChevronDown aria-hidden className={cn("transition-transform", !isOpen && "-rotate-90")} />
        </button>
      )}
      <ul
        id={id}
        aria-label={t(`groups.${group}`)}
        className={cn(
          "flex flex-col gap-0.5",
          collapsed && "border-t pt-2 [nav>div:first-child>&]:border-t-0 [nav>div:first-child>&]:pt-0",
        )}
      >
        {shown.map((entry) => (
          <li key={entry.path}>
            {entry.label === "chat" ? (
              <ChatMenu names={chats} collapsed={collapsed} {...navigate} />
            ) : (
              <NavigationLink entry={entry} collapsed={collapsed} {...navigate} />
            )}
          </li>
        ))}
      </ul>
    </div>
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
