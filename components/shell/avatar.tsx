import { Badge, type Hue } from "@/components/ui/badge";

export function Avatar({ name, hue }: { name: string; hue: Hue }) {
  return (
    <Badge
      hue={hue}
      aria-hidden
      className="grid size-6 shrink-0 place-items-center rounded-full p-0 font-semibold uppercase"
    >
      {[...name][0]}
    </Badge>
  );
}
