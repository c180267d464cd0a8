"use client";

import { Badge } from "@/components/ui/badge";
import { useChannelType, useChannelTypeName } from "./channel-types";

export function ChannelType({ type }: { type: number }) {
  const nameOf = useChannelTypeName();
  return <Badge hue={useChannelType(type)?.hue ?? "grey"}>{nameOf(type)}</Badge>;
}
