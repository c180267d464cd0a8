import { badgeVariants, hueOf } from "@/components/ui/badge";
import { cn } from "@/components/ui/class-names";
import { Link } from "@/components/ui/link";

/** The number of a channel, and its name where there is room; a click opens its page. For administrators. */
export function ChannelChip({ id, name = "" }: { id: number; name?: string }) {
  return (
    <Link
      href={`/channel/${id}`}
      title={name || undefined}
      className={cn(badgeVariants({ hue: hueOf(String(id)) }), "whitespace-nowrap hover:underline")}
    >
      #{id}
      {name === "" ? null : (
        <span dir="auto" className="max-w-24 truncate font-normal max-2xl:hidden">
          {name}
        </span>
      )}
    </Link>
  );
}
