import { Lock } from "lucide-react";
import { useTranslations } from "next-intl";
import { MessagePage } from "@/components/shell/message-page";
import { useRoleName } from "@/components/shell/role-name";
import { Button } from "@/components/ui/button";
import { Link } from "@/components/ui/link";

/** Shown instead of a page whose queries refuse the user's role. */
export function NoAccess({ own, needed }: { own: number; needed: number }) {
  const t = useTranslations("status");
  const roleName = useRoleName();
  const text = t("noAccessText", { role: roleName(needed), own: roleName(own) });
  return (
    <MessagePage icon={<Lock aria-hidden />} title={t("noAccessTitle")} text={text}>
      <Button asChild variant="primary" size="md">
        <Link href="/token">{t("goTokens")}</Link>
      </Button>
    </MessagePage>
  );
}
