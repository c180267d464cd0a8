import { useTranslations } from "next-intl";
import { Badge } from "@/components/ui/badge";
import { CHANNEL_TYPES, isKnownChannelType } from "./channel-types";

/** The name of a numeric channel type, in server and client components. */
export function useChannelTypeName(): (type: number) => string {
  const t = useTranslations("channelType");
  return (type) => (isKnownChannelType(type) ? t(`t${type}`) : t("t0"));
}

export function ChannelType({ type }: { type: number }) {
  const name = useChannelTypeName();
  return <Badge hue={isKnownChannelType(type) ? CHANNEL_TYPES[type] : "grey"}>{name(type)}</Badge>;
}
