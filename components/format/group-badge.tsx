import { useTranslations } from "next-intl";
import { Badge, type Hue, hueOf } from "@/components/ui/badge";

const NAMED: Record<string, Hue> = { vip: "yellow", pro: "yellow", svip: "red", premium: "red" };

/** A group as a badge; an empty name means the user's own group. */
export function GroupBadge({ group }: { group: string }) {
  const t = useTranslations("token.badge");
  if (group === "") return <Badge hue="orange">{t("userGroup")}</Badge>;
  return <Badge hue={NAMED[group] ?? hueOf(group)}>{group}</Badge>;
}
