"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import { ConfirmDialog } from "@/components/form/confirm-dialog";
import { useRunAction } from "@/components/form/use-run-action";
import { type ChatLink, fillChatLink, hostOf, sendsKeyToServer } from "@/components/shell/chat-links";
import { toast } from "@/components/ui/toast";
import type { ActionResult } from "@/lib/http/action";
import { isWarned, rememberWarning } from "./stored-chats";

const WARNING_MS = 10_000;
const ERROR_MS = 5_000;

type OpenChat = { link: ChatLink; fetchKey: () => Promise<ActionResult<string>> };

/**
 * Opens a chat client with a key in a new tab. Once per site, the user is told who gets the key: by a confirmation if the
 * site's server would see it, otherwise by a toast. The caller must render `dialog`.
 */
export function useOpenChat(serverAddress: string) {
  const t = useTranslations("chat");
  const { pending, run } = useRunAction();
  const [asked, setAsked] = useState<OpenChat | null>(null);

  const go = ({ link, fetchKey }: OpenChat) =>
    run(fetchKey, (key) => {
      setAsked(null);
      const address = fillChatLink(link, key, serverAddress);
      const tab = window.open(address, "_blank");
      if (tab) tab.opener = null;
      else toast.error(t("blocked"), { duration: ERROR_MS });
    });
  const open = (call: OpenChat) => {
    const host = hostOf(call.link.template);
    if (host === null || isWarned(host)) return go(call);
    if (sendsKeyToServer(call.link)) return setAsked(call);
    rememberWarning(host);
    toast.warning(t("warnFragment", { host }), { duration: WARNING_MS });
    return go(call);
  };
  const host = asked ? (hostOf(asked.link.template) ?? "") : "";
  const onConfirm = () => {
    if (!asked) return;
    rememberWarning(host);
    go(asked);
  };
  const dialog = (
    <ConfirmDialog
      open={asked !== null}
      onClose={() => setAsked(null)}
      onConfirm={onConfirm}
      pending={pending}
      title={t("warnTitle", { host })}
      text={t("warnServer", { host })}
      confirm={t("warnConfirm")}
      danger={false}
    />
  );
  return { open, pending, dialog };
}
