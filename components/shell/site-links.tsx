"use client";

import { ExternalLink } from "lucide-react";
import type { Route } from "next";
import { usePathname } from "next/navigation";
import { useTranslations } from "next-intl";
import { cn } from "@/components/ui/class-names";
import { Link } from "@/components/ui/link";
import { isCurrent, isInConsole } from "./menu";

/** A link of the top bar: to a page of this site or to the operator's documentation. */
export type SiteLink = { label: "home" | "console" | "pricing" | "statusPage" | "about" | "docs"; href: string };

type SiteLinksProps = { links: readonly SiteLink[]; vertical?: boolean; onNavigate?: () => void };

/** The links home, console, pricing and about (B126), and docs if configured. */
export function SiteLinks({ links, vertical = false, onNavigate }: SiteLinksProps) {
  const t = useTranslations("shell");
  const path = usePathname();
  return (
    <nav aria-label={t("siteLinks")} className={vertical ? "border-b px-2 py-2" : "max-md:hidden"}>
      <ul className={cn("flex", vertical ? "flex-col gap-0.5" : "items-center gap-0.5")}>
        {links.map(({ label, href }) => {
          const current = label === "console" ? isInConsole(path) : href === "/" ? path === "/" : isCurrent(path, href);
          const classes = cn(
            "flex h-9 items-center gap-1.5 rounded-md px-2.5 text-muted-foreground transition-colors hover:bg-muted hover:text-foreground [&_svg]:size-3.5",
            current && "font-medium text-foreground",
          );
          return (
            <li key={label}>
              {href.startsWith("/") ? (
                <Link
                  href={href as Route}
                  aria-current={current ? (path === href ? "page" : "true") : undefined}
                  {...(onNavigate ? { onClick: onNavigate } : {})}
                  className={classes}
                >
                  {t(label)}
                </Link>
              ) : (
                <a href={href} target="_blank" rel="noopener noreferrer" className={classes}>
                  {t(label)}
                  <ExternalLink aria-hidden />
                </a>
              )}
            </li>
          );
        })}
      </ul>
    </nav>
  );
}
