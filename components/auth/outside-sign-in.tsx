"use client";

import type { Route } from "next";
import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import { useEffect, useState } from "react";
import { callApi } from "@/components/form/call-api";
import { useReportFailure } from "@/components/form/use-report-failure";
import { useInBrowser } from "@/components/format/time";
import { Button } from "@/components/ui/button";
import { readStored, writeStored } from "@/components/ui/stored";
import { toast } from "@/components/ui/toast";
import { CODE_PROVIDERS, type CodeProvider, type OutsideFlags, PROVIDER_NAME } from "@/lib/oauth/types";
import { ProviderIcon } from "./outside-sign-in-icons";
import { openAuthorizePage, useOutsideNews } from "./outside-sign-in-tabs";
import { TelegramWidget } from "./outside-sign-in-telegram";
import { WechatDialog } from "./outside-sign-in-wechat";

/** Key in sessionStorage: proves to /oauth/telegram that the widget was used on this site in this tab. */
export const TELEGRAM_BEGUN = "telegram-begun";

type OutsideSignInProps = {
  flags: OutsideFlags;
  /** Where this window goes when the sign-in was completed in another window. */
  target?: string;
};

/** Sign-in by the enabled external providers; renders nothing if none is enabled. */
export function OutsideSignIn({ flags, target = "/token" }: OutsideSignInProps) {
  const t = useTranslations("outside");
  const router = useRouter();
  const [wechatOpen, setWechatOpen] = useState(false);
  const { pending, begin } = useBegin();
  const inBrowser = useInBrowser();
  useOutsideNews((news) => {
    if (news === "signed-in") router.push(target as Route);
  });
  const buttons = CODE_PROVIDERS.filter((provider) => flags[provider]);
  if (buttons.length === 0 && !flags.wechat && !flags.telegram) return null;
  return (
    <section aria-label={t("divider")} className="mt-5 flex flex-col gap-4">
      <div className="flex items-center gap-3 text-muted-foreground text-xs before:h-px before:flex-1 before:bg-border after:h-px after:flex-1 after:bg-border">
        {t("divider")}
      </div>
      <div className="grid gap-2 sm:grid-cols-2 [&>*:last-child:nth-child(odd)]:sm:col-span-2">
        {buttons.map((provider) => (
          <Button
            key={provider}
            size="md"
            onClick={() => begin(provider)}
            pending={pending === provider}
            disabled={!inBrowser || pending !== null}
          >
            {pending === provider ? null : <ProviderIcon provider={provider} />}
            {t("with", { provider: PROVIDER_NAME[provider] })}
          </Button>
        ))}
        {flags.wechat ? (
          <Button size="md" onClick={() => setWechatOpen(true)} disabled={!inBrowser}>
            <ProviderIcon provider="wechat" />
            {t("withWechat")}
          </Button>
        ) : null}
      </div>
      {flags.telegram ? <TelegramSignIn botName={flags.telegram.botName} /> : null}
      {flags.wechat && wechatOpen ? (
        <WechatSignIn qrCode={flags.wechat.qrCode} onClose={() => setWechatOpen(false)} />
      ) : null}
    </section>
  );
}

/** Requests an OAuth state and opens the provider's authorize page. */
function useBegin() {
  const report = useReportFailure();
  const [pending, setPending] = useState<CodeProvider | null>(null);
  const begin = async (provider: CodeProvider) => {
    setPending(provider);
    try {
      const query = new URLSearchParams({ provider });
      const aff = readStored("aff");
      if (aff) query.set("aff", aff);
      const { url } = (await callApi<string>(`/api/oauth/state?${query}`)) as unknown as { url: string };
      openAuthorizePage(url);
    } catch (error) {
      report(error);
    }
    setPending(null);
  };
  return { pending, begin };
}

function WechatSignIn({ qrCode, onClose }: { qrCode: string; onClose: () => void }) {
  const t = useTranslations("outside");
  const router = useRouter();
  const onCode = async (code: string) => {
    const query = new URLSearchParams({ code });
    const aff = readStored("aff");
    if (aff) query.set("aff", aff);
    const { data } = await callApi<unknown>(`/api/oauth/wechat?${query}`);
    writeStored("user", JSON.stringify(data));
    toast.success(t("signedIn"), { duration: 1500 });
    router.push("/");
    router.refresh();
  };
  return (
    <WechatDialog title={t("wechatTitle")} qrCode={qrCode} submit={t("signIn")} onClose={onClose} onCode={onCode} />
  );
}

function TelegramSignIn({ botName }: { botName: string }) {
  const [authUrl, setAuthUrl] = useState<string | null>(null);
  useEffect(() => {
    const begun = crypto.getRandomValues(new Uint32Array(4)).join("-");
    window.sessionStorage.setItem(TELEGRAM_BEGUN, begun);
    setAuthUrl(`/oauth/telegram?begun=${begun}`);
  }, []);
  return authUrl ? <TelegramWidget botName={botName} authUrl={authUrl} /> : null;
}
