"use client";

import { LoaderCircle, MessageCircleOff } from "lucide-react";
import { useTranslations } from "next-intl";
import { useEffect } from "react";
import { toast } from "sonner";
import { MessagePage } from "@/components/shell/message-page";
import { fillChatLink } from "./chat-links";
import { useChatKey } from "./use-chat-key";
import { useChatLink } from "./use-chat-link";

const ERROR_MS = 5_000;

/** Leads to the configured chat link with the reader's first enabled token; without ChatLink to the first client. */
export function ChatRedirect({ serverAddress }: { serverAddress: string }) {
  const t = useTranslations("chat");
  const target = useChatLink(undefined);
  const key = useChatKey();
  useEffect(() => {
    if (target.state === "found" && key !== null)
      window.location.replace(fillChatLink(target.link, key, serverAddress));
    if (target.state === "missing") toast.error(t("noLink"), { id: "chat-no-link", duration: ERROR_MS });
    if (target.state === "broken") toast.error(t("dataBroken"), { id: "chat-broken", duration: ERROR_MS });
  }, [target, key, serverAddress, t]);
  if (target.state === "missing" || target.state === "broken")
    return (
      <MessagePage
        icon={<MessageCircleOff aria-hidden />}
        title={target.state === "missing" ? t("noLinkTitle") : t("brokenTitle")}
        text={target.state === "missing" ? t("noLink") : t("dataBroken")}
      />
    );
  return (
    <div role="status" className="flex h-[60dvh] items-center justify-center gap-2 text-muted-foreground">
      <LoaderCircle className="size-4 animate-spin" aria-hidden />
      {t("redirecting")}
    </div>
  );
}
