import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { SETTING_TABS, type SettingTab, SettingTabs } from "@/components/setting/setting-tabs";
import { ROLE } from "@/lib/context";
import { listOptionViews } from "@/lib/option/queries";
import { getSignedIn } from "../signed-in";
import { OptionSearch, OptionTabPanel } from "./option-tab";
import { PersonalTab } from "./personal-tab";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations("setting"))("title") };
}

/** The personal tab for everybody; the site's tabs only for root (A021). */
export default async function SettingPage({ searchParams }: PageProps<"/setting">) {
  const [ctx, { tab: wanted }, t] = await Promise.all([getSignedIn(), searchParams, getTranslations("setting")]);
  const isRoot = ctx.actor.role >= ROLE.root;
  const tabs = isRoot ? SETTING_TABS : SETTING_TABS.slice(0, 1);
  const tab = tabs.find((known) => known === wanted) ?? "personal";
  const views = isRoot ? await listOptionViews(ctx) : [];
  return (
    <div className="mx-auto max-w-6xl">
      <header className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <h1 className="font-semibold text-lg tracking-tight">{t("title")}</h1>
        {isRoot ? <OptionSearch views={views} /> : null}
      </header>
      <div className="mt-2 mb-4 border-b lg:mb-6">
        <SettingTabs tabs={tabs} current={tab} />
      </div>
      {tab === "personal" ? (
        <PersonalTab ctx={ctx} />
      ) : (
        <OptionTabPanel ctx={ctx} tab={tab satisfies SettingTab} views={views} />
      )}
    </div>
  );
}
