import { cn } from "./class-names";

export function Skeleton({ className }: { className?: string }) {
  return (
    <span aria-hidden data-slot="skeleton" className={cn("block h-4 animate-pulse rounded bg-muted", className)} />
  );
}
