import { Badge, type Hue } from "@/components/ui/badge";
import { cn } from "@/components/ui/class-names";

export function Avatar({ name, hue, large = false }: { name: string; hue: Hue; large?: boolean }) {
  return (
    <Badge
      hue={hue}
      aria-hidden
      className={cn(
        "grid size-6 shrink-0 place-items-center rounded-full p-0 font-semibold uppercase",
        large && "size-12 text-lg",
      )}
    >
      {[...name][0]}
    </Badge>
  );
}
