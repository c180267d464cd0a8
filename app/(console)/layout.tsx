import { cookies } from "next/headers";
import { type ReactNode, Suspense } from "react";
import { toAccount } from "@/app/account";
import { setLocale, signOut } from "@/app/actions";
import { getSite } from "@/app/site";
import { StepUpProvider } from "@/components/auth/step-up-dialog";
import { QuotaDisplayProvider } from "@/components/format/quota-display";
import { Sidebar } from "@/components/shell/sidebar";
import { TopBar } from "@/components/shell/top-bar";
import { getSelf } from "@/lib/user/queries";
import { AnnouncementSlot, Notices } from "./notices";
import { getSignedIn } from "./signed-in";
import { stepUpActions } from "./step-up";

export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  const ctx = await getSignedIn();
  const [site, own, jar] = await Promise.all([getSite(), getSelf(ctx), cookies()]);
  const remembered = jar.get("sidebar")?.value;
  const account = toAccount(own, site.quotaDisplay);
  return (
    <QuotaDisplayProvider value={site.quotaDisplay}>
      <TopBar
        systemName={site.systemName}
        account={account}
        notices={
          <Suspense>
            <Notices />
          </Suspense>
        }
        setLocale={setLocale}
        signOut={signOut}
      />
      <div className="flex">
        <Sidebar
          role={ctx.actor.role}
          startCollapsed={remembered ? remembered === "collapsed" : site.collapseSidebar}
        />
        <main id="main" tabIndex={-1} className="min-w-0 flex-1 p-4 outline-none md:p-6">
          <Suspense>
            <AnnouncementSlot />
          </Suspense>
          <StepUpProvider actions={stepUpActions}>{children}</StepUpProvider>
        </main>
      </div>
    </QuotaDisplayProvider>
  );
}
