import { getTranslations } from "next-intl/server";
import { SecurityPanel } from "@/components/account/security-panel";
import { Link } from "@/components/ui/link";
import { getOwnFactors } from "@/lib/auth/factor-queries";
import { listOwnSessions } from "@/lib/auth/session-queries";
import type { ServiceContext } from "@/lib/context";

/** Second factors, passkeys and sessions of the signed-in user. */
export async function SecuritySection({ ctx }: { ctx: ServiceContext }) {
  const [factors, sessions, t] = await Promise.all([
    getOwnFactors(ctx),
    listOwnSessions(ctx),
    getTranslations("activity"),
  ]);
  return (
    <>
      <SecurityPanel factors={factors} sessions={sessions} />
      <p className="text-muted-foreground text-xs">
        <Link href="/activity" className="text-primary underline">
          {t("open")}
        </Link>
        {` · ${t("openText")}`}
      </p>
    </>
  );
}
