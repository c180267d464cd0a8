import { Info } from "lucide-react";
import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { MessagePage } from "@/components/shell/message-page";
import { OperatorPage } from "@/components/shell/operator-page";
import { getContext } from "@/lib/auth/session";
import { getContent } from "@/lib/status/queries";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations("home"))("aboutTitle") };
}

export default async function AboutPage() {
  const [text, t] = await Promise.all([getContext().then((ctx) => getContent(ctx, "About")), getTranslations("home")]);
  if (text.trim() === "")
    return <MessagePage icon={<Info aria-hidden />} title={t("aboutEmptyTitle")} text={t("aboutEmptyText")} />;
  return (
    <>
      <h1 dir="auto" className="sr-only">
        {t("aboutTitle")}
      </h1>
      <OperatorPage text={text} title={t("aboutTitle")} />
    </>
  );
}
