import { CircleHelp, type LucideIcon } from "lucide-react";
import { Badge, type Hue } from "./badge";

/** How a state looks; the words belong to the screen. */
export type StatusLook = { hue: Hue; icon: LucideIcon };

const UNKNOWN: StatusLook = { hue: "grey", icon: CircleHelp };

/** A state in words with an icon; the colour only repeats it. Without a look it is a state that nobody knows. */
export function StatusBadge({ look = UNKNOWN, text }: { look?: StatusLook | undefined; text: string }) {
  const Icon = look.icon;
  return (
    <Badge hue={look.hue}>
      <Icon aria-hidden />
      {text}
    </Badge>
  );
}
