"use client";

import { MessageCircleOff } from "lucide-react";
import { useTranslations } from "next-intl";
import { useEffect } from "react";
import { MessagePage } from "@/components/shell/message-page";
import { toast } from "@/components/ui/toast";
import type { ChatTarget } from "./use-chat-link";

const ERROR_MS = 5_000;

export type ChatFailure = Exclude<ChatTarget["state"], "looking" | "found">;

/** Says why no chat client can be opened, on the page and as a toast (B262, B263, B264). */
export function ChatFailurePage({ state }: { state: ChatFailure }) {
  const t = useTranslations("chat");
  const text = { missing: t("noLink"), broken: t("data.broken"), wrong: t("linkBroken") }[state];
  useEffect(() => {
    toast.error(text, { id: `chat-${state}`, duration: ERROR_MS });
  }, [state, text]);
  const title = state === "missing" ? t("noLinkTitle") : t("brokenTitle");
  return <MessagePage icon={<MessageCircleOff aria-hidden />} title={title} text={text} />;
}
