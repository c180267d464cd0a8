"use client";

import { ChevronDown, MessageSquare } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { readStoredChats } from "@/components/chat/stored-chats";
import { useOpenChat } from "@/components/chat/use-open-chat";
import { Menu } from "@/components/overlay/menu";
import { allChatLinks, ChatDataError, type ChatLink, isOpenable } from "@/components/shell/chat-links";
import { Button } from "@/components/ui/button";
import { DropdownMenuItem } from "@/components/ui/dropdown-menu";
import { toast } from "@/components/ui/toast";
import { TOKEN_STATUS } from "@/lib/row-status";
import { revealToken } from "./actions";

const ERROR_MS = 5_000;

type TokenChatProps = {
  token: { id: number; name: string; status: number };
  serverAddress: string;
};

/** Opens a chat client with the token's key: the button opens the first client, the menu any of them. */
export function TokenChat({ token, serverAddress }: TokenChatProps) {
  const t = useTranslations("chat");
  const { open, pending, dialog } = useOpenChat(serverAddress);
  const [links, setLinks] = useState<ChatLink[]>([]);
  const { id, name, status } = token;

  const read = (): ChatLink[] => {
    try {
      const found = allChatLinks(readStoredChats());
      if (found.length === 0) toast.error(t("noLink"), { duration: ERROR_MS });
      return found;
    } catch (error) {
      if (!(error instanceof ChatDataError)) throw error;
      toast.error(t("linkBroken"), { duration: ERROR_MS });
      return [];
    }
  };
  const start = (link: ChatLink | undefined) => {
    if (link && !isOpenable(link)) toast.error(t("linkBroken"), { duration: ERROR_MS });
    else if (link) open({ link, fetchKey: () => revealToken({ id }) });
  };
  const disabled = status !== TOKEN_STATUS.enabled || pending;
  const trigger = (
    <Button
      variant="ghost"
      size="icon"
      disabled={disabled}
      aria-label={t("menuOf", { name })}
      onPointerDown={() => setLinks(read())}
      onKeyDown={(event) => (event.key === "Tab" ? undefined : setLinks(read()))}
      className="w-5 text-muted-foreground"
    >
      <ChevronDown />
    </Button>
  );
  return (
    <span className="flex">
      <Button
        variant="ghost"
        size="icon"
        pending={pending}
        disabled={disabled}
        aria-label={t("openOf", { name })}
        onClick={() => start(read()[0])}
      >
        {pending ? null : <MessageSquare />}
      </Button>
      <Menu trigger={trigger} label={t("menuOf", { name })}>
        {links.length === 0 ? <DropdownMenuItem disabled>{t("noLinkShort")}</DropdownMenuItem> : null}
        {links.map((link) => (
          <DropdownMenuItem key={`${link.name} ${link.template}`} onSelect={() => start(link)}>
            {link.name}
          </DropdownMenuItem>
        ))}
      </Menu>
      {dialog}
    </span>
  );
}
