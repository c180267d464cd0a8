import { CircleHelp, type LucideIcon } from "lucide-react";
import { Badge, type Hue } from "./badge";

/** The look of a state; the screen provides the text. */
export type StatusLook = { hue: Hue; icon: LucideIcon };

const UNKNOWN: StatusLook = { hue: "grey", icon: CircleHelp };

/** A state as text with an icon; the colour is not the only cue. The default look is for unknown states. */
export function StatusBadge({ look = UNKNOWN, text }: { look?: StatusLook | undefined; text: string }) {
  const Icon = look.icon;
  return (
    <Badge hue={look.hue}>
      <Icon aria-hidden />
      {text}
    </Badge>
  );
}
