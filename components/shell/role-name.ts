import { useTranslations } from "next-intl";

/** Name of a numeric role; works in server and client components. */
export function useRoleName(): (role: number) => string {
  const t = useTranslations("shell");
  return (role) => {
    if (role === 1) return t("role1");
    if (role === 10) return t("role10");
    if (role === 100) return t("role100");
    return t("roleUnknown");
  };
}
