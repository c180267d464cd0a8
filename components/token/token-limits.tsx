import { FileText, Gauge, ListChecks, ShieldCheck } from "lucide-react";
import { useTranslations } from "next-intl";
import { Badge } from "@/components/ui/badge";
import { Link } from "@/components/ui/link";
import { nowSeconds } from "@/lib/clock";
import { readOperations } from "@/lib/operations";
import type { Token } from "@/lib/token/types";

type TokenLimitsProps = {
  token: Pick<
    Token,
    "operationLimits" | "allowIps" | "denyIps" | "rateLimitCount" | "rateLimitSeconds" | "captureUntil"
  >;
};

/** Badges for operations, IP and rate limits, so that these are visible as a cause of refused requests. */
export function TokenLimits({ token }: TokenLimitsProps) {
  const t = useTranslations("token");
  const nameOf = useTranslations("operation");
  const { allowIps, denyIps, rateLimitCount, rateLimitSeconds, captureUntil } = token;
  const operations = readOperations(token.operationLimits);
  return (
    <>
      {operations.length > 0 ? (
        <Badge hue="teal">
          <ListChecks aria-hidden />
          {t("operationLimited", { names: operations.map((operation) => nameOf(operation)).join(t("listSeparator")) })}
        </Badge>
      ) : null}
      {allowIps.trim() !== "" || denyIps.trim() !== "" ? (
        <Badge hue="indigo">
          <ShieldCheck aria-hidden />
          {t("ipLimited")}
        </Badge>
      ) : null}
      {rateLimitCount > 0 ? (
        <Badge hue="violet">
          <Gauge aria-hidden />
          {t("rateLimited", { count: String(rateLimitCount), seconds: String(rateLimitSeconds) })}
        </Badge>
      ) : null}
      {captureUntil === -1 || captureUntil > nowSeconds() ? (
        <Link href="/capture" className="rounded-full">
          <Badge hue="amber">
            <FileText aria-hidden />
            {t("captured")}
          </Badge>
        </Link>
      ) : null}
    </>
  );
}
