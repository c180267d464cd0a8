"use client";

import { FileClock, KeyRound, Network, ScrollText, Settings, Users } from "lucide-react";
import Link from "next/link";
import { usePathname } from "next/navigation";
import { useTranslations } from "next-intl";
import { cn } from "@/components/ui/class-names";
import { Tooltip } from "@/components/ui/tooltip";

const ADMIN = 10;
const ROOT = 100;

// One line for each page; `role` is the least that may open it.
const SECTIONS = [
  {
    title: "sectionConsole",
    items: [
      { path: "/token", label: "token", icon: KeyRound, role: 1 },
      { path: "/log", label: "log", icon: ScrollText, role: 1 },
    ],
  },
  {
    title: "sectionAdmin",
    items: [
      { path: "/channel", label: "channel", icon: Network, role: ADMIN },
      { path: "/user", label: "user", icon: Users, role: ADMIN },
      { path: "/audit", label: "audit", icon: FileClock, role: ROOT },
    ],
  },
  {
    title: "sectionAccount",
    items: [{ path: "/setting", label: "setting", icon: Settings, role: 1 }],
  },
] as const;

type NavigationProps = { role: number; collapsed?: boolean; onNavigate?: () => void };

/** The links of the console; those of administrators are absent for others (the pages check again). */
export function Navigation({ role, collapsed = false, onNavigate }: NavigationProps) {
  const t = useTranslations("shell");
  const path = usePathname();
  const sections = SECTIONS.map((section) => ({
    ...section,
    items: section.items.filter((item) => role >= item.role),
  }));
  return (
    <nav aria-label={t("navigation")} className="flex flex-col gap-4 px-2 py-3">
      {sections
        .filter((section) => section.items.length > 0)
        .map((section) => (
          <div key={section.title}>
            <p className={cn("px-2.5 pb-1.5 text-muted-foreground text-xs", collapsed && "sr-only")}>
              {t(section.title)}
            </p>
            <ul className="flex flex-col gap-0.5">
              {section.items.map((item) => {
                const current = path === item.path || path.startsWith(`${item.path}/`);
                const link = (
                  <Link
                    href={item.path}
                    aria-current={current ? "page" : undefined}
                    {...(onNavigate ? { onClick: onNavigate } : {})}
                    className={cn(
                      "flex h-9 items-center gap-2.5 rounded-md px-2.5 text-foreground/85 transition-colors hover:bg-muted [&_svg]:size-4 [&_svg]:shrink-0",
                      current && "bg-accent font-medium text-accent-foreground hover:bg-accent",
                    )}
                  >
                    <item.icon aria-hidden />
                    <span className={collapsed ? "sr-only" : "truncate"}>{t(item.label)}</span>
                  </Link>
                );
                return <li key={item.path}>{collapsed ? <Tooltip label={t(item.label)}>{link}</Tooltip> : link}</li>;
              })}
            </ul>
          </div>
        ))}
    </nav>
  );
}
