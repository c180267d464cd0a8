import { useTranslations } from "next-intl";
import { Badge } from "@/components/ui/badge";
import { ratioHue } from "./ratio";

/** The price ratio of a group. */
export function RatioBadge({ ratio }: { ratio: number }) {
  const t = useTranslations("token.badge");
  return <Badge hue={ratioHue(ratio)}>{t("ratio", { ratio: String(ratio) })}</Badge>;
}
