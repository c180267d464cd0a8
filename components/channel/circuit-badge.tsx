import { Unplug } from "lucide-react";
import { useTranslations } from "next-intl";
import { Badge } from "@/components/ui/badge";

/** That a channel, though enabled, has open circuits; nothing where it has none. */
export function CircuitBadge({ count }: { count: number }) {
  const t = useTranslations("channel");
  if (count === 0) return null;
  return (
    <Badge hue="orange">
      <Unplug aria-hidden />
      {t("circuitsOpen", { count })}
    </Badge>
  );
}
