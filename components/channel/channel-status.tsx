import { CircleCheck, CircleHelp, CircleSlash, ShieldAlert } from "lucide-react";
import { Badge, type Hue } from "@/components/ui/badge";
import { useStatusName } from "./status-name";

const LOOKS: Record<number, { hue: Hue; Icon: typeof CircleCheck }> = {
  1: { hue: "green", Icon: CircleCheck },
  2: { hue: "yellow", Icon: CircleSlash },
  3: { hue: "amber", Icon: ShieldAlert },
};

export function ChannelStatus({ status }: { status: number }) {
  const name = useStatusName();
  const { hue, Icon } = LOOKS[status] ?? { hue: "grey", Icon: CircleHelp };
  return (
    <Badge hue={hue}>
      <Icon aria-hidden />
      {name(status)}
    </Badge>
  );
}
