import type { ReactNode } from "react";
import { toAccount } from "@/app/account";
import { setLocale, signOut } from "@/app/actions";
import { getSite } from "@/app/site";
import { Footer } from "@/components/shell/footer";
import { TopBar } from "@/components/shell/top-bar";
import { getContext } from "@/lib/auth/session";
import { getSelf } from "@/lib/user/queries";

export default async function PublicLayout({ children }: { children: ReactNode }) {
  const [ctx, site] = await Promise.all([getContext(), getSite()]);
  const own = ctx.actor.type === "user" ? await getSelf(ctx) : null;
  const account = own && toAccount(own, site.quotaDisplay);
  return (
    <>
      <TopBar site={site} account={account} setLocale={setLocale} signOut={signOut} />
      <div className="flex min-h-[calc(100dvh-3.5rem)] flex-col">
        <main id="main" tabIndex={-1} className="flex-1 outline-none">
          {children}
        </main>
        <Footer html={site.footer} systemName={site.systemName} />
      </div>
    </>
  );
}
