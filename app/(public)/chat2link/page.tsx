import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { getSignedIn } from "@/app/(console)/signed-in";
import { getSite } from "@/app/site";
import { ChatRedirect } from "@/components/chat/chat-redirect";
import { Texts } from "@/components/shell/texts";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations("chat"))("title") };
}

/** Redirects to the configured chat link; needs a session. */
export default async function ChatLinkPage() {
  const [site] = await Promise.all([getSite(), getSignedIn()]);
  return (
    <Texts of={["chat"]}>
      <ChatRedirect serverAddress={site.serverAddress} />
    </Texts>
  );
}
