import { badgeVariants, hueOf } from "@/components/ui/badge";
import { cn } from "@/components/ui/class-names";
import { Link } from "@/components/ui/link";
import { modelHref } from "./model-href";

/** The name of a model; a click opens its page. */
export function ModelChip({ model, className }: { model: string; className?: string }) {
  return (
    <Link
      href={modelHref(model)}
      title={model}
      className={cn(badgeVariants({ hue: hueOf(model) }), "hover:underline", className)}
    >
      <span dir="auto" className="truncate">
        {model}
      </span>
    </Link>
  );
}
