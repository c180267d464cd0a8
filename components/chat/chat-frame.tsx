"use client";

import { ExternalLink, LoaderCircle } from "lucide-react";
import { useTranslations } from "next-intl";
import { type ChatLink, fillChatLink, hostOf } from "@/components/shell/chat-links";
import { MessagePage } from "@/components/shell/message-page";
import { Button } from "@/components/ui/button";
import { Link } from "@/components/ui/link";
import { ChatFailurePage } from "./chat-failure";
import { useKeyConsent } from "./key-consent";
import { useChatKey } from "./use-chat-key";
import { useChatLink } from "./use-chat-link";

/** The permissions a framed client needs. Without allow-top-navigation it cannot navigate this page. */
const SANDBOX =
  "allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox allow-modals allow-downloads";

/** `isVisitor`: nobody is signed in, so that there is no key to give to the client. */
type ChatFrameProps = { id: string | undefined; serverAddress: string; isVisitor: boolean };

/** A configured chat client in a full-page frame, opened with the first enabled token of who is signed in. */
export function ChatFrame({ id, serverAddress, isVisitor }: ChatFrameProps) {
  const t = useTranslations("chat");
  const target = useChatLink(id);
  const key = useChatKey(isVisitor);
  if (target.state !== "looking" && target.state !== "found") return <ChatFailurePage state={target.state} />;
  if (target.state === "looking" || key === null)
    return (
      <div
        role="status"
        className="flex h-[calc(100dvh-3.5rem)] items-center justify-center gap-2 text-muted-foreground"
      >
        <LoaderCircle className="size-4 animate-spin" aria-hidden />
        {t("waiting")}
      </div>
    );
  const address = fillChatLink(target.link, key, serverAddress);
  if (!isVisitor) return <OwnClient link={target.link} address={address} />;
  return (
    <>
      <p role="note" className="border-b bg-muted/50 px-4 py-2 text-center text-muted-foreground">
        {t.rich("visitor", {
          link: (chunks) => (
            <Link href="/login" className="text-primary underline underline-offset-2">
              {chunks}
            </Link>
          ),
        })}
      </p>
      <Client link={target.link} address={address} />
    </>
  );
}

type ClientProps = { link: ChatLink; address: string };

/** Renders the client after the user has agreed that its site gets the key. */
function OwnClient({ link, address }: ClientProps) {
  return useKeyConsent(link) ?? <Client link={link} address={address} />;
}

function Client({ link, address }: ClientProps) {
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
