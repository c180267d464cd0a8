import { cookies } from "next/headers";
import { getLocale } from "next-intl/server";
import { type ReactNode, Suspense } from "react";
import { toAccount } from "@/app/account";
import { getSignInOver } from "@/app/sign-in";
import { getSite } from "@/app/site";
import { StepUpProvider } from "@/components/auth/step-up-dialog";
import { ChannelTypesProvider } from "@/components/channel/channel-types";
import { QuotaDisplayProvider } from "@/components/format/quota-display";
import { Keyboard } from "@/components/palette/keyboard";
import { PaletteButton } from "@/components/palette/palette-button";
import { ChatDataCheck } from "@/components/shell/chat-menu";
import { Footer } from "@/components/shell/footer";
import { CLOSED_GROUPS_COOKIE, readClosedGroups } from "@/components/shell/menu";
import { Sidebar } from "@/components/shell/sidebar";
import { Texts } from "@/components/shell/texts";
import { TopBar } from "@/components/shell/top-bar";
import { listChannelTypes } from "@/lib/channel/type-views";
import { getSelf } from "@/lib/user/queries";
import { AnnouncementSlot, Notices } from "./notices";
import { OnboardingSlot } from "./onboarding";
import { getSignedIn } from "./signed-in";

export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  const ctx = await getSignedIn();
  const [site, own, jar, locale, signIn] = await Promise.all([
    getSite(),
    getSelf(ctx),
    cookies(),
    getLocale(),
    getSignInOver(),
  ]);
  const remembered = jar.get("sidebar")?.value;
  const account = toAccount(own, site.quotaDisplay);
  const closedGroups = readClosedGroups(jar.get(CLOSED_GROUPS_COOKIE)?.value);
  const menu = { role: ctx.actor.role, ...site.flags, chats: site.chats, closedGroups };
  return (
    <Texts
      of={[
        "shell",
        "list",
        "palette",
        "setting.tab",
        "notify.centre",
        "chat.data",
        "channel.types",
        "security.stepUp",
        "security.passkey",
        "login",
        "session",
        "turnstile",
      ]}
    >
      <QuotaDisplayProvider value={site.quotaDisplay}>
        <TopBar
          site={site}
          account={account}
          closedGroups={closedGroups}
          notices={
            <>
              <PaletteButton />
              <Suspense>
                <Notices />
              </Suspense>
            </>
          }
          signIn={signIn}
        />
        <Keyboard menu={menu} baseUrl={`${site.serverAddress}/v1`} />
        <ChatDataCheck />
        <div className="flex">
          <Sidebar menu={menu} startCollapsed={remembered ? remembered === "collapsed" : site.collapseSidebar} />
          <div className="flex min-h-[calc(100dvh-3.5rem)] min-w-0 flex-1 flex-col">
            <main
              id="main"
              tabIndex={-1}
              className="min-w-0 flex-1 p-4 outline-none has-[[data-fill]]:flex has-[[data-fill]]:h-[calc(100dvh-3.5rem)] has-[[data-fill]]:min-h-136 has-[[data-fill]]:flex-none has-[[data-fill]]:flex-col md:p-6"
            >
              <Suspense>
                <AnnouncementSlot />
              </Suspense>
              <Suspense>
                <OnboardingSlot dashboard={site.flags.dashboard} />
              </Suspense>
              <ChannelTypesProvider types={listChannelTypes(locale)}>
                <StepUpProvider>{children}</StepUpProvider>
              </ChannelTypesProvider>
            </main>
            <Footer html={site.footer} systemName={site.systemName} />
          </div>
        </div>
      </QuotaDisplayProvider>
    </Texts>
  );
}
