import { Info } from "lucide-react";
import { useTranslations } from "next-intl";

/** Warns administrators that without callbacks the progress of upstream tasks is not reported (B107). */
export function CallbackBanner() {
  const t = useTranslations("drawing");
  return (
    <div role="note" className="mb-4 flex items-start gap-2.5 rounded-lg border bg-surface px-4 py-3">
      <Info className="mt-0.5 size-4 shrink-0 text-warning" aria-hidden />
      <p>{t("callbacksOff")}</p>
    </div>
  );
}
