"use client";

import { LoaderCircle, MessageCircleOff } from "lucide-react";
import { useTranslations } from "next-intl";
import { useEffect } from "react";
import { MessagePage } from "@/components/shell/message-page";
import { toast } from "@/components/ui/toast";
import { fillChatLink } from "./chat-links";
import { useKeyConsent } from "./key-consent";
import { useChatKey } from "./use-chat-key";
import { useChatLink } from "./use-chat-link";

const ERROR_MS = 5_000;

/** Redirects to the chat link with the user's first enabled token; without ChatLink to the first client of the list. */
export function ChatRedirect({ serverAddress }: { serverAddress: string }) {
  const t = useTranslations("chat");
  const target = useChatLink(undefined);
  const key = useChatKey();
  const question = useKeyConsent(target.state === "found" ? target.link : null);
  const asking = question !== null;
  useEffect(() => {
    if (target.state === "found" && key !== null && !asking)
      window.location.replace(fillChatLink(target.link, key, serverAddress));
    if (target.state === "missing") toast.error(t("noLink"), { id: "chat-no-link", duration: ERROR_MS });
    if (target.state === "broken") toast.error(t("data.broken"), { id: "chat-broken", duration: ERROR_MS });
  }, [target, key, asking, serverAddress, t]);
  if (target.state === "missing" || target.state === "broken")
    return (
      <MessagePage
        icon={<MessageCircleOff aria-hidden />}
        title={target.state === "missing" ? t("noLinkTitle") : t("brokenTitle")}
        text={target.state === "missing" ? t("noLink") : t("data.broken")}
      />
    );
  if (question) return question;
  return (
    <div role="status" className="flex h-[60dvh] items-center justify-center gap-2 text-muted-foreground">
      <LoaderCircle className="size-4 animate-spin" aria-hidden />
      {t("redirecting")}
    </div>
  );
}
