import type { Metadata, Viewport } from "next";
import { headers } from "next/headers";
import { NextIntlClientProvider } from "next-intl";
import { getLocale } from "next-intl/server";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import type { ReactNode } from "react";
import { CopyFailureDialog } from "@/components/form/copy-failure";
import { InvalidFocus } from "@/components/form/invalid-focus";
import { AppStart } from "@/components/shell/app-start";
import { NonceProvider } from "@/components/shell/nonce";
import { OfflineLinks } from "@/components/shell/offline-links";
import { OfflineRouter } from "@/components/shell/offline-router";
import { Texts } from "@/components/shell/texts";
import { Theme } from "@/components/shell/theme";
import { Toaster } from "@/components/ui/toast";
import { TooltipProvider } from "@/components/ui/tooltip";
import { getSite } from "./site";
import "./globals.css";

export async function generateMetadata(): Promise<Metadata> {
  const { systemName } = await getSite();
  return { title: { default: systemName, template: `%s · ${systemName}` } };
}

export const viewport: Viewport = {
  themeColor: [
    { media: "(prefers-color-scheme: light)", color: "#ffffff" },
    { media: "(prefers-color-scheme: dark)", color: "#15191f" },
  ],
};

export default async function RootLayout({ children }: { children: ReactNode }) {
  const locale = await getLocale();
  const nonce = (await headers()).get("x-nonce") ?? "";
  return (
    <html lang={locale === "zh" ? "zh-CN" : "en"} suppressHydrationWarning>
      <body className="min-h-dvh">
        <NonceProvider nonce={nonce}>
          <Theme>
            {/* Without messages of its own, it would send all of them with every page. */}
            <NextIntlClientProvider messages={{}}>
              <Texts of={["common", "failure", "status"]}>
                <OfflineRouter>
                  <NuqsAdapter>
                    <AppStart />
                    <TooltipProvider>{children}</TooltipProvider>
                  </NuqsAdapter>
                </OfflineRouter>
                <InvalidFocus />
                <OfflineLinks />
                <CopyFailureDialog />
                <Toaster />
              </Texts>
            </NextIntlClientProvider>
          </Theme>
        </NonceProvider>
      </body>
    </html>
  );
}
