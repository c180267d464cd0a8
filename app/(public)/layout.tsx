import { cookies } from "next/headers";
import type { ReactNode } from "react";
import { toAccount } from "@/app/account";
import { getSignInOver } from "@/app/sign-in";
import { getSite } from "@/app/site";
import { Footer } from "@/components/shell/footer";
import { CLOSED_GROUPS_COOKIE, readClosedGroups } from "@/components/shell/menu";
import { ChatSidebar } from "@/components/shell/sidebar";
import { Texts } from "@/components/shell/texts";
import { TopBar } from "@/components/shell/top-bar";
import { getContext } from "@/lib/auth/session";
import { getSelf } from "@/lib/user/queries";
import { SignedInKeyboard, SignedInTools } from "./signed-in";

/** Layout of the public pages. Signed-in users also get the palette, shortcuts and notices, and the menu beside a chat. */
export default async function PublicLayout({ children }: { children: ReactNode }) {
  const [ctx, site, jar, signIn] = await Promise.all([getContext(), getSite(), cookies(), getSignInOver()]);
  const own = ctx.actor.type === "user" ? await getSelf(ctx) : null;
  const account = own && toAccount(own, site.quotaDisplay);
  const closedGroups = readClosedGroups(jar.get(CLOSED_GROUPS_COOKIE)?.value);
  const menu = account && { role: account.role, ...site.flags, chats: site.chats, closedGroups };
  const remembered = jar.get("sidebar")?.value;
  return (
    <Texts of={["shell", "chat.data", "login", "security.passkey", "session", "turnstile"]}>
      <TopBar
        site={site}
        account={account}
        closedGroups={closedGroups}
        notices={account ? <SignedInTools /> : null}
        signIn={signIn}
      />
      {menu ? <SignedInKeyboard menu={menu} baseUrl={`${site.serverAddress}/v1`} /> : null}
      <div className="flex">
        {menu ? (
          <ChatSidebar menu={menu} startCollapsed={remembered ? remembered === "collapsed" : site.collapseSidebar} />
        ) : null}
        <div className="flex min-h-[calc(100dvh-3.5rem)] min-w-0 flex-1 flex-col">
          <main id="main" tabIndex={-1} className="flex-1 outline-none">
            {children}
          </main>
          <Footer html={site.footer} systemName={site.systemName} />
        </div>
      </div>
    </Texts>
  );
}
