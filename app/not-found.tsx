import { Compass } from "lucide-react";
import Link from "next/link";
import { getTranslations } from "next-intl/server";
import { Brand } from "@/components/shell/brand";
import { MessagePage } from "@/components/shell/message-page";
import { Button } from "@/components/ui/button";
import { getSite } from "./site";

export default async function NotFound() {
  const [{ systemName, logo }, t] = await Promise.all([getSite(), getTranslations("status")]);
  return (
    <>
      <header className="flex h-14 items-center border-b bg-surface px-3 sm:px-4">
        <Link href="/" className="min-w-0 rounded-md">
          <Brand name={systemName} logo={logo} />
        </Link>
      </header>
      <main id="main">
        <MessagePage icon={<Compass aria-hidden />} title={t("notFoundTitle")} text={t("notFoundText")}>
          <Button asChild variant="primary" size="md">
            <Link href="/">{t("goHome")}</Link>
          </Button>
        </MessagePage>
      </main>
    </>
  );
}
