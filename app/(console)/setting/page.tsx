import { ArrowLeft } from "lucide-react";
import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { BooksCheck } from "@/components/setting/books-check";
import { LogStoreCard } from "@/components/setting/log-store-card";
import { RefusedCharges } from "@/components/setting/refused-charges";
import { ReplicaState } from "@/components/setting/replica-state";
import { SETTING_TABS, SettingNav } from "@/components/setting/setting-nav";
import { Texts } from "@/components/shell/texts";
import { cn } from "@/components/ui/class-names";
import { Link } from "@/components/ui/link";
import { listRefusedCharges } from "@/lib/billing/refused-charges-commands";
import { findLastBooksCheck } from "@/lib/books/check-books-queries";
import { consoleDatabase } from "@/lib/console-database";
import { ROLE, type ServiceContext } from "@/lib/context";
import { findLogStoreState } from "@/lib/log-store/state-queries";
import { BOOKS_PAGE, findPage, pagesOf, type SettingPageInfo } from "@/lib/option/cards";
import { listOptionViews } from "@/lib/option/queries";
import type { OptionView } from "@/lib/option/types";
import { viewReplica } from "@/lib/replica/replica-database";
import { getSignedIn } from "../signed-in";
import { OptionPage, OptionSearch } from "./option-page";
import { PersonalTab } from "./personal-tab";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations("setting"))("title") };
}

/** The personal settings for everybody; the site's pages only for root (A021). */
export default async function SettingPage({ searchParams }: PageProps<"/setting">) {
  const [ctx, params, t] = await Promise.all([getSignedIn(), searchParams, getTranslations("setting")]);
  const isRoot = ctx.actor.role >= ROLE.root;
  return (
    <div className="mx-auto max-w-7xl">
      {isRoot ? (
        <SitePages ctx={ctx} wanted={{ tab: textOf(params.tab), page: textOf(params.page) }} />
      ) : (
        <>
          <h1 dir="auto" className="font-semibold text-lg tracking-tight">
            {t("title")}
          </h1>
          <SettingNav tabs={["personal"]} tab="personal" page={null} className="-ml-3 mt-1 mb-3 w-fit" />
          <PersonalTab ctx={ctx} />
        </>
      )}
    </div>
  );
}

const textOf = (value: string | string[] | undefined): string | undefined =>
  typeof value === "string" ? value : undefined;

type Wanted = { tab: string | undefined; page: string | undefined };

/** The list of pages beside the open page; on a narrow window the list comes first, and an open page takes its place. */
async function SitePages({ ctx, wanted }: { ctx: ServiceContext; wanted: Wanted }) {
  const [views, t] = await Promise.all([listOptionViews(ctx), getTranslations("setting")]);
  const tab = SETTING_TABS.find((known) => known === wanted.tab) ?? "personal";
  const named = tab === "personal" ? undefined : findPage(tab, wanted.page);
  const page = tab === "personal" ? null : (named ?? pagesOf(tab)[0] ?? null);
  const isOpen = tab === "personal" ? wanted.tab === "personal" : named !== undefined;
  return (
    <>
      <header className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <h1 dir="auto" className="font-semibold text-lg tracking-tight">
          {t("title")}
        </h1>
        <OptionSearch views={views} page={page} />
      </header>
      <div className="mt-4 lg:flex lg:gap-8">
        <SettingNav
          tabs={SETTING_TABS}
          tab={tab}
          page={page?.id ?? null}
          className={cn(
            "lg:sticky lg:top-18 lg:max-h-[calc(100dvh-9.5rem)] lg:w-52 lg:shrink-0 lg:self-start lg:overflow-y-auto",
            isOpen && "max-lg:hidden",
          )}
        />
        <div className={cn("min-w-0 flex-1", !isOpen && "max-lg:hidden")}>
          <Link
            href="/setting"
            className="mb-3 inline-flex items-center gap-1 text-muted-foreground text-xs hover:text-foreground lg:hidden"
          >
            <ArrowLeft className="size-3.5" aria-hidden />
            {t("allPages")}
          </Link>
          <Content ctx={ctx} page={page} views={views} />
        </div>
      </div>
    </>
  );
}

type ContentProps = { ctx: ServiceContext; page: SettingPageInfo | null; views: readonly OptionView[] };

function Content({ ctx, page, views }: ContentProps) {
  if (!page) return <PersonalTab ctx={ctx} />;
  return page.id === BOOKS_PAGE ? <BooksPage ctx={ctx} /> : <OptionPage ctx={ctx} page={page} views={views} />;
}

/** What the books say, charges that the database refused, and what waits for the log store. */
async function BooksPage({ ctx }: { ctx: ServiceContext }) {
  const [charges, check, logStore, t] = await Promise.all([
    listRefusedCharges(ctx, consoleDatabase().sql),
    findLastBooksCheck(ctx),
    findLogStoreState(ctx),
    getTranslations("setting.page"),
  ]);
  const replica = viewReplica(ctx);
  return (
    <>
      <h2 dir="auto" className="sr-only">
        {t("books")}
      </h2>
      <Texts of={["setting.refusedCharges"]}>
        <RefusedCharges charges={charges} />
      </Texts>
      <BooksCheck check={check} />
      <LogStoreCard state={logStore} />
      {replica ? <ReplicaState replica={replica} /> : null}
    </>
  );
}
