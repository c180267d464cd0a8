import { Compass } from "lucide-react";
import Link from "next/link";
import { getTranslations } from "next-intl/server";
import { MessagePage } from "@/components/shell/message-page";
import { Button } from "@/components/ui/button";

export default async function NotFound() {
  const t = await getTranslations("status");
  return (
    <main id="main">
      <MessagePage icon={<Compass aria-hidden />} title={t("notFoundTitle")} text={t("notFoundText")}>
        <Button asChild variant="primary" size="md">
          <Link href="/">{t("goHome")}</Link>
        </Button>
      </MessagePage>
    </main>
  );
}
