import type { ReactNode } from "react";
import { toAccount } from "@/app/account";
import { setLocale, signOut } from "@/app/actions";
import { getSite } from "@/app/site";
import { TopBar } from "@/components/shell/top-bar";
import { getContext } from "@/lib/auth/session";
import { getSelf } from "@/lib/user/queries";

export default async function PublicLayout({ children }: { children: ReactNode }) {
  const [ctx, site] = await Promise.all([getContext(), getSite()]);
  const own = ctx.actor.type === "user" ? await getSelf(ctx) : null;
  const account = own && toAccount(own, site.quotaDisplay);
  return (
    <>
      <TopBar systemName={site.systemName} account={account} setLocale={setLocale} signOut={signOut} />
      <main id="main" tabIndex={-1} className="outline-none">
        {children}
      </main>
    </>
  );
}
