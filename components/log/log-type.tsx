import { useTranslations } from "next-intl";
import { Badge, type Hue } from "@/components/ui/badge";

const HUES: Record<number, Hue> = { 1: "cyan", 2: "lime", 3: "orange", 4: "purple", 5: "red" };

export function LogType({ type }: { type: number }) {
  const t = useTranslations("log");
  const names: Record<number, string> = { 1: t("type1"), 2: t("type2"), 3: t("type3"), 4: t("type4"), 5: t("type5") };
  return <Badge hue={HUES[type] ?? "grey"}>{names[type] ?? t("typeUnknown")}</Badge>;
}
