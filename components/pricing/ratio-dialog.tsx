"use client";

import { useTranslations } from "next-intl";
import { Modal } from "@/components/overlay/modal";

type RatioDialogProps = { open: boolean; quotaPerUnit: number; onClose: () => void };

/** Explains the ratios: the sum of each kind of token times its ratios, divided by the quota per unit. */
export function RatioDialog({ open, quotaPerUnit, onClose }: RatioDialogProps) {
  const t = useTranslations("pricing");
  const label = t("ratioFigure", { divisor: String(quotaPerUnit) });
  return (
    <Modal open={open} onClose={onClose} title={t("ratios")} className="max-w-2xl">
      <svg role="img" aria-label={label} viewBox="0 0 560 236" className="w-full text-foreground">
        <title>{label}</title>
        <Box x={8} y={12} name={t("promptTokens")} factor="× 1" />
        <Box x={8} y={64} name={t("cachedTokens")} factor={`× ${t("cacheRatio")}`} />
        <Box x={8} y={116} name={t("completionTokens")} factor={`× ${t("completionRatio")}`} />
        {[33, 85, 137].map((y) => (
          <path key={y} d={`M238 ${y} C 268 ${y}, 262 85, 290 85`} fill="none" stroke="currentColor" opacity={0.45} />
        ))}
        <rect x={290} y={50} width={150} height={70} rx={8} fill="none" stroke="currentColor" />
        <text x={365} y={78} textAnchor="middle" fontSize={13} fill="currentColor">
          {`× ${t("modelRatio")}`}
        </text>
        <text x={365} y={102} textAnchor="middle" fontSize={13} fill="currentColor">
          {`× ${t("groupRatio")}`}
        </text>
        <path d="M440 85 H 470" stroke="currentColor" opacity={0.45} />
        <rect x={470} y={62} width={82} height={46} rx={8} className="fill-primary" />
        <text x={511} y={90} textAnchor="middle" fontSize={13} className="fill-primary-foreground">
          {t("quota")}
        </text>
        <text x={280} y={192} textAnchor="middle" fontSize={14} fill="currentColor">
          {t("figureDivide", { divisor: String(quotaPerUnit) })}
        </text>
        <text x={280} y={216} textAnchor="middle" fontSize={13} fill="currentColor" opacity={0.75}>
          {t("figureMillion", { divisor: String(quotaPerUnit) })}
        </text>
      </svg>
      <ul className="mt-3 flex list-disc flex-col gap-1 pl-5 text-muted-foreground">
        <li>{t("explainModel")}</li>
        <li>{t("explainCompletion")}</li>
        <li>{t("explainGroup")}</li>
        <li>{t("explainCall")}</li>
        <li>{t("explainRounding")}</li>
      </ul>
    </Modal>
  );
}

function Box({ x, y, name, factor }: { x: number; y: number; name: string; factor: string }) {
  return (
    <>
      <rect x={x} y={y} width={230} height={44} rx={8} fill="none" stroke="currentColor" opacity={0.6} />
      <text x={x + 12} y={y + 19} fontSize={13} fill="currentColor">
        {name}
      </text>
      <text x={x + 12} y={y + 36} fontSize={12} fill="currentColor" opacity={0.75}>
        {factor}
      </text>
    </>
  );
}
