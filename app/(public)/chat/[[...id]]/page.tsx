import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { getSite } from "@/app/site";
import { ChatFrame } from "@/components/chat/chat-frame";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations("chat"))("title") };
}

/** Frames one of the operator's chat clients. The page is public, but inserting the API key needs a session. */
export default async function ChatPage({ params }: PageProps<"/chat/[[...id]]">) {
  const [{ id }, site] = await Promise.all([params, getSite()]);
  const place = id?.join("/");
  return <ChatFrame key={place ?? ""} id={place} serverAddress={site.serverAddress} />;
}
