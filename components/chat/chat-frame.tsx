"use client";

import { ExternalLink, LoaderCircle, MessageCircleOff } from "lucide-react";
import { useTranslations } from "next-intl";
import { useEffect } from "react";
import { MessagePage } from "@/components/shell/message-page";
import { Button } from "@/components/ui/button";
import { toast } from "@/components/ui/toast";
import { type ChatLink, fillChatLink, hostOf } from "./chat-links";
import { useKeyConsent } from "./key-consent";
import { useChatKey } from "./use-chat-key";
import { useChatLink } from "./use-chat-link";

const ERROR_MS = 5_000;

/** The permissions a framed client needs. Without allow-top-navigation it cannot navigate this page. */
const SANDBOX =
  "allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox allow-modals allow-downloads";

type ChatFrameProps = { id: string | undefined; serverAddress: string };

/** A configured chat client in a full-page frame, opened with the user's first enabled token. */
export function ChatFrame({ id, serverAddress }: ChatFrameProps) {
  const t = useTranslations("chat");
  const target = useChatLink(id);
  const key = useChatKey();
  const { state } = target;
  useEffect(() => {
    if (state === "missing") toast.error(t("noLink"), { id: "chat-no-link", duration: ERROR_MS });
    if (state === "broken") toast.error(t("data.broken"), { id: "chat-broken", duration: ERROR_MS });
  }, [state, t]);

  if (state === "missing" || state === "broken")
    return (
      <MessagePage
        icon={<MessageCircleOff aria-hidden />}
        title={state === "missing" ? t("noLinkTitle") : t("brokenTitle")}
        text={state === "missing" ? t("noLink") : t("data.broken")}
      />
    );
  if (state === "looking" || key === null)
    return (
      <div
        role="status"
        className="flex h-[calc(100dvh-3.5rem)] items-center justify-center gap-2 text-muted-foreground"
      >
        <LoaderCircle className="size-4 animate-spin" aria-hidden />
        {t("waiting")}
      </div>
    );
  return <Client link={target.link} address={fillChatLink(target.link, key, serverAddress)} />;
}

/** Renders the client after the user has agreed that its site gets the key. */
function Client({ link, address }: { link: ChatLink; address: string }) {
  const question = useKeyConsent(link);
  if (question) return question;
  if (hostOf(link.template) === null) return <AppLink name={link.name} address={address} />;
  return (
    <iframe
      title={link.name}
      src={address}
      sandbox={SANDBOX}
      allow="camera; microphone; clipboard-write"
      referrerPolicy="no-referrer"
      className="block h-[calc(100dvh-3.5rem)] w-full border-0"
    />
  );
}

/** Links of installed apps cannot be framed. */
function AppLink({ name, address }: { name: string; address: string }) {
  const t = useTranslations("chat");
  return (
    <MessagePage icon={<ExternalLink aria-hidden />} title={name} text={t("appText")}>
      <Button asChild variant="primary" size="md">
        <a href={address}>{t("appOpen")}</a>
      </Button>
    </MessagePage>
  );
}
