import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { getSite } from "@/app/site";
import { ChatFrame } from "@/components/chat/chat-frame";
import { Texts } from "@/components/shell/texts";
import { getContext } from "@/lib/auth/session";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations("chat"))("title") };
}

/** Frames one of the operator's chat clients, for visitors too; inserting the API key needs a session. */
export default async function ChatPage({ params }: PageProps<"/chat/[[...id]]">) {
  const [{ id }, site, { actor }] = await Promise.all([params, getSite(), getContext()]);
  const place = id?.join("/");
  return (
    <Texts of={["chat"]}>
      <ChatFrame key={place ?? ""} id={place} serverAddress={site.serverAddress} isVisitor={actor.type !== "user"} />
    </Texts>
  );
}
