import { Compass } from "lucide-react";
import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { consolePath } from "@/components/shell/menu";
import { MessagePage } from "@/components/shell/message-page";
import { Button } from "@/components/ui/button";
import { Link } from "@/components/ui/link";
import { getContext } from "@/lib/auth/session";
import PublicLayout from "./(public)/layout";
import { getSite } from "./site";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations("status"))("notFoundTitle") };
}

/** Has the site's header, so that the visitor can go somewhere else. */
export default async function NotFound() {
  const [{ actor }, { flags }, t] = await Promise.all([getContext(), getSite(), getTranslations("status")]);
  return (
    <PublicLayout>
      <MessagePage icon={<Compass aria-hidden />} title={t("notFoundTitle")} text={t("notFoundText")}>
        <Button asChild variant="primary" size="md">
          <Link href="/">{t("goHome")}</Link>
        </Button>
        {actor.type === "user" ? (
          <Button asChild size="md">
            <Link href={consolePath(flags)}>{t("goConsole")}</Link>
          </Button>
        ) : null}
      </MessagePage>
    </PublicLayout>
  );
}
