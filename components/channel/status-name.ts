import { useTranslations } from "next-intl";
import { CHANNEL_STATUS } from "@/lib/row-status";

/** Works in server and client components. */
export function useStatusName(): (status: number) => string {
  const t = useTranslations("channel");
  return (status) => {
    if (status === CHANNEL_STATUS.enabled) return t("statusEnabled");
    if (status === CHANNEL_STATUS.disabled) return t("statusDisabled");
    return status === CHANNEL_STATUS.autoDisabled ? t("statusAuto") : t("statusUnknown");
  };
}
