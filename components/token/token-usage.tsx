import { getTranslations } from "next-intl/server";
import { formatQuota, type QuotaDisplay } from "@/components/format/quota";
import type { TokenUsage } from "@/lib/token/types";

const WIDTH = 84;
const HEIGHT = 22;
const GAP = 2;

type TokenSparklineProps = { id: number; usage: Promise<Record<number, TokenUsage>>; display: QuotaDisplay };

/** Usage of a token on each of the last seven days as bars; total and number of calls as accessible text. */
export async function TokenSparkline({ id, usage, display }: TokenSparklineProps) {
  const [all, t] = await Promise.all([usage, getTranslations("token")]);
  const own = all[id];
  if (!own) return <span className="sr-only">{t("usageNone")}</span>;
  const sum = own.quota.reduce((total, quota) => total + quota, 0);
  const most = Math.max(...own.quota, 1);
  const width = (WIDTH - GAP * (own.quota.length - 1)) / own.quota.length;
  const label = t("usageWeek", { amount: formatQuota(sum, display), count: own.count });
  return (
    <svg role="img" aria-label={label} width={WIDTH} height={HEIGHT} className="inline-block text-primary">
      <title>{label}</title>
      {own.quota.map((quota, day) => {
        const height = quota === 0 ? 1 : Math.max(2, (quota / most) * HEIGHT);
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: the place is the day
            key={day}
            x={day * (width + GAP)}
            y={HEIGHT - height}
            width={width}
            height={height}
            rx={1}
            fill="currentColor"
            opacity={quota === 0 ? 0.3 : 1}
          />
        );
      })}
    </svg>
  );
}
