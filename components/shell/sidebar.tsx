"use client";

import { PanelLeftClose, PanelLeftOpen } from "lucide-react";
import { usePathname } from "next/navigation";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { cn } from "@/components/ui/class-names";
import { isCurrent, type ShellMenu } from "./menu";
import { Navigation } from "./navigation";

const ONE_YEAR = 31_536_000;

type SidebarProps = { menu: ShellMenu; startCollapsed: boolean };

/** The sidebar on public pages: shown only on /chat, the one public page of the menu. */
export function ChatSidebar(props: SidebarProps) {
  return isCurrent(usePathname(), "/chat") ? <Sidebar {...props} /> : null;
}

/** The sidebar on wide screens. A cookie stores whether it is collapsed, so that the server renders it that way. */
export function Sidebar({ menu, startCollapsed }: SidebarProps) {
  const t = useTranslations("shell");
  const [collapsed, setCollapsed] = useState(startCollapsed);
  const onToggle = () => {
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every supported browser
    document.cookie = `sidebar=${collapsed ? "open" : "collapsed"}; path=/; max-age=${ONE_YEAR}; samesite=lax`;
    setCollapsed(!collapsed);
  };
  const label = collapsed ? t("expand") : t("collapse");
  return (
    <aside
      className={cn(
        "sticky top-14 hidden h-[calc(100dvh-3.5rem)] shrink-0 flex-col border-r bg-surface transition-[width] duration-150 md:flex",
        collapsed ? "w-15" : "w-50",
      )}
    >
      <div className="min-h-0 flex-1 overflow-y-auto overflow-x-hidden">
        <Navigation menu={menu} collapsed={collapsed} />
      </div>
      <div className="border-t p-2">
        <Button
          variant="ghost"
          aria-label={label}
          aria-expanded={!collapsed}
          onClick={onToggle}
          className="h-9 w-full justify-start px-2.5 text-muted-foreground"
        >
          {collapsed ? <PanelLeftOpen /> : <PanelLeftClose />}
          {collapsed ? null : <span className="font-normal">{t("collapseShort")}</span>}
        </Button>
      </div>
    </aside>
  );
}
