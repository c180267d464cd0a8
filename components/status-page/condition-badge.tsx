import { CircleCheck, CircleHelp, CircleX, TriangleAlert } from "lucide-react";
import { getTranslations } from "next-intl/server";
import { Badge, type Hue } from "@/components/ui/badge";
import type { Condition } from "@/lib/status-page/types";

const LOOKS: Record<Condition, { hue: Hue; Icon: typeof CircleCheck }> = {
  up: { hue: "green", Icon: CircleCheck },
  degraded: { hue: "yellow", Icon: TriangleAlert },
  down: { hue: "red", Icon: CircleX },
  unknown: { hue: "grey", Icon: CircleHelp },
};

export async function ConditionBadge({ condition }: { condition: Condition }) {
  const t = await getTranslations("statusPage");
  const { hue, Icon } = LOOKS[condition];
  return (
    <Badge hue={hue}>
      <Icon aria-hidden />
      {t(`condition.${condition}`)}
    </Badge>
  );
}
