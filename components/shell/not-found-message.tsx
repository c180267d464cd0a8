import { Compass } from "lucide-react";
import { getTranslations } from "next-intl/server";
import { Button } from "@/components/ui/button";
import { Link } from "@/components/ui/link";
import { MessagePage } from "./message-page";

/** Says that a page does not exist. `consoleHref` is the way back into the console, for who may use it. */
export async function NotFoundMessage({ consoleHref }: { consoleHref: string | null }) {
  const t = await getTranslations("status");
  return (
    <MessagePage icon={<Compass aria-hidden />} title={t("notFoundTitle")} text={t("notFoundText")}>
      <Button asChild variant="primary" size="md">
        <Link href="/">{t("goHome")}</Link>
      </Button>
      {consoleHref === null ? null : (
        <Button asChild size="md">
          <Link href={consoleHref as "/token"}>{t("goConsole")}</Link>
        </Button>
      )}
    </MessagePage>
  );
}
