import { useTranslations } from "next-intl";
import { Badge } from "@/components/ui/badge";
import { ratioHue } from "./ratio";

/** What a group costs, as a factor of the model's price. */
export function RatioBadge({ ratio }: { ratio: number }) {
  const t = useTranslations("token");
  return <Badge hue={ratioHue(ratio)}>{t("ratioTag", { ratio: String(ratio) })}</Badge>;
}
