import { cn } from "./class-names";

export function Skeleton({ className }: { className?: string }) {
  return <span aria-hidden className={cn("block h-4 animate-pulse rounded bg-muted", className)} />;
}
