import type { ReactNode } from "react";
import { setLocale, signOut } from "@/app/actions";
import { getSite } from "@/app/site";
import { formatQuota } from "@/components/format/quota";
import type { Account } from "@/components/shell/account-menu";
import { TopBar } from "@/components/shell/top-bar";
import { getContext } from "@/lib/auth/session";
import { getSelf } from "@/lib/user/queries";

export default async function PublicLayout({ children }: { children: ReactNode }) {
  const [ctx, site] = await Promise.all([getContext(), getSite()]);
  const own = ctx.actor.type === "user" ? await getSelf(ctx) : null;
  const account: Account | null = own && {
    username: own.username,
    displayName: own.displayName,
    role: own.role,
    group: own.group,
    balance: formatQuota(own.quota, site.quotaDisplay),
  };
  return (
    <>
      <TopBar systemName={site.systemName} account={account} setLocale={setLocale} signOut={signOut} />
      <main id="main" tabIndex={-1} className="outline-none">
        {children}
      </main>
    </>
  );
}
