import { ArrowLeft } from "lucide-react";
import type { Route } from "next";
import { useTranslations } from "next-intl";
import { cn } from "@/components/ui/class-names";
import { Link } from "@/components/ui/link";
import { settingPath } from "@/lib/option/cards";

const TABS = [
  { id: "list", href: "/setting/prices/list" },
  { id: "sync", href: "/setting/prices" },
  { id: "history", href: "/setting/prices/history" },
  { id: "whatIf", href: "/setting/prices/what-if" },
] as const satisfies { id: string; href: Route }[];
export type PriceTab = (typeof TABS)[number]["id"];

/** The pages about prices, above each of them. */
export function PriceTabs({ current, title, lead }: { current: PriceTab; title: string; lead: string }) {
  const t = useTranslations("priceTabs");
  return (
    <header className="mb-4">
      <Link
        href={settingPath("pricing")}
        className="mb-2 inline-flex items-center gap-1 text-muted-foreground text-xs hover:text-foreground"
      >
        <ArrowLeft className="size-3.5" aria-hidden />
        {t("back")}
      </Link>
      <h1 dir="auto" className="font-semibold text-lg tracking-tight">
        {title}
      </h1>
      <p className="mt-0.5 max-w-3xl text-muted-foreground text-pretty">{lead}</p>
      <nav aria-label={t("pages")} className="mt-3 flex gap-1 overflow-x-auto border-b">
        {TABS.map(({ id, href }) => (
          <Link
            key={id}
            href={href}
            aria-current={id === current ? "page" : undefined}
            className={cn(
              "-mb-px whitespace-nowrap border-b-2 border-b-transparent px-3 py-2 text-muted-foreground hover:text-foreground",
              id === current && "border-b-primary font-medium text-primary",
            )}
          >
            {t(id)}
          </Link>
        ))}
      </nav>
    </header>
  );
}
