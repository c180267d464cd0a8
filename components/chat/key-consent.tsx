"use client";

import { KeyRound } from "lucide-react";
import { useTranslations } from "next-intl";
import { type ReactNode, useState } from "react";
import { type ChatLink, hostOf, sendsKeyToServer } from "@/components/shell/chat-links";
import { MessagePage } from "@/components/shell/message-page";
import { Button } from "@/components/ui/button";
import { Link } from "@/components/ui/link";
import { isWarned, rememberWarning } from "./stored-chats";

/**
 * The question to show before opening a link that sends a token's key to another site's server. Null if the user has already
 * agreed for that site or the key stays in the browser. Call it only in the browser.
 */
export function useKeyConsent(link: ChatLink | null): ReactNode {
  const t = useTranslations("chat");
  const [agreed, setAgreed] = useState<string | null>(null);
  const host = link && sendsKeyToServer(link) ? hostOf(link.template) : null;
  if (host === null || host === agreed || isWarned(host)) return null;
  const onAgree = () => {
    rememberWarning(host);
    setAgreed(host);
  };
  return (
    <MessagePage icon={<KeyRound aria-hidden />} title={t("warnTitle", { host })} text={t("warnServer", { host })}>
      <Button variant="primary" size="md" onClick={onAgree}>
        {t("warnConfirm")}
      </Button>
      <Button asChild size="md">
        <Link href="/token">{t("goTokens")}</Link>
      </Button>
    </MessagePage>
  );
}
