import { getTranslations } from "next-intl/server";
import { FactList } from "@/components/data-table/fact-list";
import { formatQuota, type QuotaDisplay } from "@/components/format/quota";
import { Time } from "@/components/format/time";
import { Link } from "@/components/ui/link";
import { isExpired, type Redemption } from "@/lib/redemption/types";
import { RedemptionStatus } from "./redemption-status";

type RedemptionFactsProps = { code: Omit<Redemption, "key">; display: QuotaDisplay };

/** A code with who made it and who redeemed it; never with the code itself. */
export async function RedemptionFacts({ code, display }: RedemptionFactsProps) {
  const t = await getTranslations("redemption");
  const user = (id: number) => (
    <Link href={`/user/${id}`} className="rounded text-primary hover:underline">
      {String(id)}
    </Link>
  );
  return (
    <FactList
      facts={[
        { label: t("id"), value: String(code.id) },
        { label: t("status"), value: <RedemptionStatus status={code.status} isExpired={isExpired(code)} /> },
        { label: t("quota"), value: formatQuota(code.quota, display) },
        { label: t("created"), value: <Time seconds={code.createdTime} /> },
        { label: t("expires"), value: code.expiredTime > 0 ? <Time seconds={code.expiredTime} /> : t("never") },
        { label: t("creator"), value: code.userId === 0 ? t("none") : user(code.userId) },
        { label: t("redeemed"), value: code.redeemedTime > 0 ? <Time seconds={code.redeemedTime} /> : "—" },
        { label: t("redeemer"), value: code.usedUserId === 0 ? t("none") : user(code.usedUserId) },
      ]}
    />
  );
}
