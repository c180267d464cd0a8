"use client";

import { LoaderCircle } from "lucide-react";
import { useTranslations } from "next-intl";
import { useEffect } from "react";
import { fillChatLink } from "@/components/shell/chat-links";
import { ChatFailurePage } from "./chat-failure";
import { useKeyConsent } from "./key-consent";
import { useChatKey } from "./use-chat-key";
import { useChatLink } from "./use-chat-link";

/** Redirects to the chat link with the user's first enabled token; without ChatLink to the first client of the list. */
export function ChatRedirect({ serverAddress }: { serverAddress: string }) {
  const t = useTranslations("chat");
  const target = useChatLink(undefined);
  const key = useChatKey(false);
  const question = useKeyConsent(target.state === "found" ? target.link : null);
  const asking = question !== null;
  useEffect(() => {
    if (target.state === "found" && key !== null && !asking)
      window.location.replace(fillChatLink(target.link, key, serverAddress));
  }, [target, key, asking, serverAddress]);
  if (target.state !== "looking" && target.state !== "found") return <ChatFailurePage state={target.state} />;
  if (question) return question;
  return (
    <div role="status" className="flex h-[60dvh] items-center justify-center gap-2 text-muted-foreground">
      <LoaderCircle className="size-4 animate-spin" aria-hidden />
      {t("redirecting")}
    </div>
  );
}
