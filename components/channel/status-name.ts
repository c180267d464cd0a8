import { useTranslations } from "next-intl";

/** The name of a channel's status, in server and client components. */
export function useStatusName(): (status: number) => string {
  const t = useTranslations("channel");
  return (status) => {
    if (status === 1) return t("statusEnabled");
    if (status === 2) return t("statusDisabled");
    return status === 3 ? t("statusAuto") : t("statusUnknown");
  };
}
