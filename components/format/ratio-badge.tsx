import { useTranslations } from "next-intl";
import { Badge, type Hue } from "@/components/ui/badge";

/** The colour of a group's ratio (A227): above 5 red, above 3 orange, above 1 blue, else green. */
export function ratioHue(ratio: number): Hue {
  if (ratio > 5) return "red";
  if (ratio > 3) return "orange";
  if (ratio > 1) return "blue";
  return "green";
}

/** The price ratio of a group. */
export function RatioBadge({ ratio }: { ratio: number }) {
  const t = useTranslations("token.badge");
  return <Badge hue={ratioHue(ratio)}>{t("ratio", { ratio: String(ratio) })}</Badge>;
}
