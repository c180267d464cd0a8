import { Gauge, ShieldCheck } from "lucide-react";
import { useTranslations } from "next-intl";
import { Badge } from "@/components/ui/badge";
import type { Token } from "@/lib/token/types";

type TokenLimitsProps = { token: Pick<Token, "allowIps" | "denyIps" | "rateLimitCount" | "rateLimitSeconds"> };

/** Badges for IP and rate limits, so that these are visible as a cause of refused requests. */
export function TokenLimits({ token }: TokenLimitsProps) {
  const t = useTranslations("token");
  const { allowIps, denyIps, rateLimitCount, rateLimitSeconds } = token;
  return (
    <>
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
    </>
  );
}
