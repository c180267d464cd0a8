import { cookies } from "next/headers";
import type { ReactNode } from "react";
import { setLocale, signOut } from "@/app/actions";
import { getSite } from "@/app/site";
import { formatQuota } from "@/components/format/quota";
import { QuotaDisplayProvider } from "@/components/format/quota-display";
import { Sidebar } from "@/components/shell/sidebar";
import { TopBar } from "@/components/shell/top-bar";
import { getSelf } from "@/lib/user/queries";
import { getSignedIn } from "./signed-in";

export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  const ctx = await getSignedIn();
  const [site, own, jar] = await Promise.all([getSite(), getSelf(ctx), cookies()]);
  const remembered = jar.get("sidebar")?.value;
  const account = {
    username: own.username,
    displayName: own.displayName,
    role: own.role,
    group: own.group,
    balance: formatQuota(own.quota, site.quotaDisplay),
  };
  return (
    <QuotaDisplayProvider value={site.quotaDisplay}>
      <TopBar systemName={site.systemName} account={account} setLocale={setLocale} signOut={signOut} />
      <div className="flex">
        <Sidebar
          role={ctx.actor.role}
          startCollapsed={remembered ? remembered === "collapsed" : site.collapseSidebar}
        />
        <main id="main" tabIndex={-1} className="min-w-0 flex-1 p-4 outline-none md:p-6">
          {children}
        </main>
      </div>
    </QuotaDisplayProvider>
  );
}
